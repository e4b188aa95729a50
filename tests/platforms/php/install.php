<?php
/**
 * Installs an empty WordPress site, as its own installer does: run once, and copied for each site of the tests.
 */
define( 'WP_INSTALLING', true );
require getenv( 'EVERLOG_WORDPRESS' ) . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';

// The mail to the new administrator.
add_filter( 'pre_wp_mail', '__return_true' );
wp_install( 'A blog', 'admin', 'admin@blog.test', true, '', 'admin' );

foreach ( get_posts( array( 'post_type' => 'any', 'post_status' => 'any', 'numberposts' => -1 ) ) as $post ) {
	wp_delete_post( $post->ID, true );
}
update_option( 'blogdescription', 'Written for tests' );
update_option( 'default_pingback_flag', 0 );
// One file, without what was written beside it.
( new PDO( 'sqlite:' . FQDB ) )->exec( 'PRAGMA wal_checkpoint(TRUNCATE)' );

<?php
/**
 * Configuration of every WordPress site of the tests: one read-only WordPress, and a folder for each site.
 *
 * The file of this name beside wp-load.php reads it in. Which site is meant is said by the environment.
 */
$site = getenv( 'EVERLOG_SITE' );

define( 'WP_HOME', getenv( 'EVERLOG_SITE_URL' ) );
define( 'WP_SITEURL', WP_HOME );
define( 'WP_CONTENT_DIR', "$site/www/wp-content" );
define( 'WP_CONTENT_URL', WP_HOME . '/wp-content' );
define( 'WPMU_PLUGIN_DIR', __DIR__ . '/mu-plugins' );
define( 'DB_DIR', "$site/database" );
define( 'DB_FILE', 'site.sqlite' );
define( 'DB_NAME', 'site' );
define( 'DB_USER', '' );
define( 'DB_PASSWORD', '' );
define( 'DB_HOST', '' );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'DB_COLLATE', '' );
$table_prefix = 'wp_';

// Nothing goes out, and nothing happens by itself: what a test sees is what it did.
define( 'WP_HTTP_BLOCK_EXTERNAL', true );
define( 'AUTOMATIC_UPDATER_DISABLED', true );
define( 'DISABLE_WP_CRON', true );
define( 'WP_POST_REVISIONS', false );

define( 'WP_DEBUG', false );
foreach ( array( 'AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE' ) as $name ) {
	define( "{$name}_KEY", 'tests on loopback' );
	define( "{$name}_SALT", 'tests on loopback' );
}

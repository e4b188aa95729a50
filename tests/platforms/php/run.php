<?php
/**
 * Changes of a site through WordPress's own functions, and what is in it afterwards: JSON in, JSON out.
 *
 * In:  {"changes": [{"do": "post", "key": "first", "title": ...}, ...], "truth": false}
 * Out: {"keys": {"first": 13}, "truth": null}
 *
 * A post or comment that has a key is named by it in later changes. Times are UTC, "2024-05-06 07:08:09".
 */
require getenv( 'EVERLOG_WORDPRESS' ) . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/taxonomy.php';

$asked = json_decode( stream_get_contents( STDIN ), true, 512, JSON_THROW_ON_ERROR );
$keys  = get_option( 'everlog_keys', array() );

wp_set_current_user( 1 );
// Nobody is told of new posts and comments: no mail, no pings.
add_filter( 'pre_wp_mail', '__return_true' );
remove_action( 'publish_post', '_publish_post_hook', 5 );
wp_defer_term_counting( true );
wp_defer_comment_counting( true );
$wpdb->query( 'START TRANSACTION' );
foreach ( $asked['changes'] as $change ) {
	$id = everlog_apply( $change, $keys );
	if ( isset( $change['key'] ) ) {
		$keys[ $change['key'] ] = $id;
	}
}
wp_defer_term_counting( false );
wp_defer_comment_counting( false );
update_option( 'everlog_keys', $keys, false );
$wpdb->query( 'COMMIT' );
echo json_encode( array( 'keys' => (object) $keys, 'truth' => $asked['truth'] ? everlog_truth() : null ), JSON_THROW_ON_ERROR );

function everlog_apply( array $change, array $keys ): int {
	$id = static fn( string $field ): int => (int) ( $keys[ $change[ $field ] ?? '' ] ?? $change[ $field ] ?? 0 );
	switch ( $change['do'] ) {
		case 'post':
			return everlog_save( $change, 0 );
		case 'edit':
			return everlog_save( $change, $id( 'post' ) );
		case 'trash':
			wp_trash_post( $id( 'post' ) );
			return 0;
		case 'delete':
			wp_delete_post( $id( 'post' ), true );
			return 0;
		case 'comment':
			return everlog_comment( $change, $id( 'post' ), $id( 'parent' ) );
		case 'delete comment':
			wp_delete_comment( $id( 'comment' ), true );
			return 0;
		case 'move':
			return everlog_move( get_option( 'everlog_home', '' ) );
		case 'option':
			update_option( $change['name'], $change['value'] );
			// The next request makes them anew: this one has taxonomies as they were before.
			delete_option( 'rewrite_rules' );
			return 0;
	}
	throw new LogicException( "no such change: {$change['do']}" );
}

/** The ids that feeds give, in a copy of a site on another port. */
function everlog_move( string $before ): int {
	global $wpdb;
	$wpdb->query( $wpdb->prepare( "UPDATE $wpdb->posts SET guid = REPLACE(guid, %s, %s)", "$before/", home_url( '/' ) ) );
	update_option( 'everlog_home', home_url() );
	return 0;
}

/** A new post, or with an id an edit of one: only the fields that are named. */
function everlog_save( array $change, int $id ): int {
	$fields = array( 'ID' => $id );
	$names  = array(
		'title' => 'post_title', 'content' => 'post_content', 'type' => 'post_type', 'status' => 'post_status',
		'password' => 'post_password', 'slug' => 'post_name', 'excerpt' => 'post_excerpt',
	);
	foreach ( $names as $name => $field ) {
		if ( isset( $change[ $name ] ) ) {
			$fields[ $field ] = wp_slash( $change[ $name ] );
		}
	}
	if ( ! $id ) {
		$fields += array( 'post_status' => 'publish', 'comment_status' => 'open', 'ping_status' => 'open' );
	}
	if ( isset( $change['date'] ) ) {
		$fields['post_date_gmt'] = $change['date'];
		$fields['post_date']     = get_date_from_gmt( $change['date'] );
		$fields['edit_date']     = true;
	}
	if ( isset( $change['author'] ) ) {
		$fields['post_author'] = everlog_user( $change['author'] );
	}
	if ( isset( $change['tags'] ) ) {
		$fields['tags_input'] = $change['tags'];
	}
	if ( isset( $change['categories'] ) ) {
		$fields['post_category'] = array_map( 'everlog_category', $change['categories'] );
	}
	$at = everlog_modified( $change['modified'] ?? null );
	$id = $id ? wp_update_post( $fields, true ) : wp_insert_post( $fields, true );
	remove_filter( 'wp_insert_post_data', $at );
	if ( is_wp_error( $id ) ) {
		throw new LogicException( $id->get_error_message() );
	}
	if ( isset( $change['sticky'] ) ) {
		$change['sticky'] ? stick_post( $id ) : unstick_post( $id );
	}
	return $id;
}

/** The time that an edit bears, where it is not now. */
function everlog_modified( ?string $time ): Closure {
	$at = static fn( array $data ): array => $time
		? array( 'post_modified_gmt' => $time, 'post_modified' => get_date_from_gmt( $time ) ) + $data : $data;
	add_filter( 'wp_insert_post_data', $at );
	return $at;
}

function everlog_user( string $name ): int {
	static $ids = array();
	$login      = sanitize_title( $name );
	$ids[ $name ] ??= get_user_by( 'login', $login )->ID ?? wp_insert_user(
		array( 'user_login' => $login, 'user_pass' => 'secret', 'display_name' => $name, 'role' => 'author' )
	);
	return $ids[ $name ];
}

function everlog_category( string $name ): int {
	static $ids = array();
	return $ids[ $name ] ??= wp_create_category( $name );
}

function everlog_comment( array $change, int $post, int $parent ): int {
	$defaults = array( 'type' => 'comment', 'author' => 'A reader', 'author_url' => '', 'approved' => 1 );
	$change  += $defaults;
	$date     = $change['date'] ?? current_time( 'mysql', true );
	return wp_insert_comment(
		wp_slash(
			array(
				'comment_post_ID'      => $post,
				'comment_parent'       => $parent,
				'comment_type'         => $change['type'],
				'comment_author'       => $change['author'],
				'comment_author_url'   => $change['author_url'],
				'comment_author_email' => sanitize_title( $change['author'] ) . '@readers.test',
				'comment_content'      => $change['content'],
				'comment_approved'     => $change['approved'],
				'comment_date_gmt'     => $date,
				'comment_date'         => get_date_from_gmt( $date ),
			)
		)
	);
}

/** All that is in the site, with what of it strangers may read. */
function everlog_truth(): array {
	wp_set_current_user( 0 );
	$types    = array_diff( get_post_types( array( 'public' => true ) ), array( 'attachment' ) );
	$query    = array(
		'post_type' => $types, 'post_status' => array_keys( get_post_stati() ), 'posts_per_page' => -1,
		'orderby' => 'ID', 'order' => 'ASC',
	);
	$posts    = array_map( 'everlog_post_truth', ( new WP_Query( $query ) )->posts );
	$query    = array( 'status' => 'any', 'type' => '', 'orderby' => 'comment_ID', 'order' => 'ASC' );
	$comments = get_comments( $query );
	$readable = array_column( $posts, 'visible', 'id' );
	return array(
		'posts'    => $posts,
		'comments' => array_map( static fn( $comment ) => everlog_comment_truth( $comment, $readable ), $comments ),
	);
}

function everlog_post_truth( WP_Post $post ): array {
	$GLOBALS['post'] = $post;
	setup_postdata( $post );
	$names = static fn( string $taxonomy ): array => wp_get_post_terms( $post->ID, $taxonomy, array( 'fields' => 'names' ) );
	return array(
		'id'         => $post->ID,
		'type'       => $post->post_type,
		'status'     => $post->post_status,
		'password'   => '' !== $post->post_password,
		'visible'    => 'publish' === $post->post_status && '' === $post->post_password,
		'link'       => get_permalink( $post ),
		'title'      => get_the_title( $post ),
		'content'    => apply_filters( 'the_content', $post->post_content ),
		'author'     => get_the_author_meta( 'display_name', $post->post_author ),
		'tags'       => 'post' === $post->post_type ? $names( 'post_tag' ) : array(),
		'categories' => 'post' === $post->post_type ? $names( 'category' ) : array(),
		'date'       => mysql_to_rfc3339( $post->post_date_gmt ) . 'Z',
		'modified'   => mysql_to_rfc3339( $post->post_modified_gmt ) . 'Z',
		'sticky'     => is_sticky( $post->ID ),
	);
}

function everlog_comment_truth( WP_Comment $comment, array $readable ): array {
	$id = (int) $comment->comment_ID;
	return array(
		'id'       => $id,
		'post'     => (int) $comment->comment_post_ID,
		'parent'   => (int) $comment->comment_parent,
		'type'     => get_comment_type( $comment ),
		'status'   => wp_get_comment_status( $comment ),
		'visible'  => '1' === $comment->comment_approved && ( $readable[ $comment->comment_post_ID ] ?? false ),
		'author'   => get_comment_author( $comment ),
		'content'  => apply_filters( 'comment_text', get_comment_text( $comment ), $comment, array() ),
		'date'     => mysql_to_rfc3339( $comment->comment_date_gmt ) . 'Z',
		'link'     => get_comment_link( $comment ),
		'post_link' => get_permalink( (int) $comment->comment_post_ID ),
	);
}

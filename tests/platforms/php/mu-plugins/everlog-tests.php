<?php
/**
 * What plugins of real sites do, switched on by options: a public type of posts of its own, and no REST for strangers.
 */
add_action(
	'init',
	function () {
		register_post_type(
			'book',
			array(
				'public'       => true,
				'label'        => 'Books',
				'has_archive'  => true,
				'show_in_rest' => true,
				'rest_base'    => 'books',
				'supports'     => array( 'title', 'editor', 'author', 'comments' ),
			)
		);
	}
);

// As security plugins do it (401 and 403), or as if there were none (404).
add_filter(
	'rest_authentication_errors',
	function ( $result ) {
		$status = (int) get_option( 'everlog_rest', 200 );
		if ( 200 === $status || is_user_logged_in() ) {
			return $result;
		}
		return 404 === $status
			? new WP_Error( 'rest_no_route', 'No route was found matching the URL and request method.', array( 'status' => 404 ) )
			: new WP_Error( 'rest_cannot_access', 'Only authenticated users can access the REST API.', array( 'status' => $status ) );
	}
);

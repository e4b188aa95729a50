<?php
/**
 * Router of PHP's built-in web server: what a web server in front of WordPress does, with a request log.
 */
$everlog_path = rawurldecode( (string) parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH ) );
$everlog_file = $_SERVER['DOCUMENT_ROOT'] . $everlog_path;
if ( is_dir( $everlog_file ) ) {
	$everlog_file = rtrim( $everlog_file, '/' ) . '/index.php';
}
$everlog_is_php = str_ends_with( $everlog_file, '.php' );

// Written before the last byte of an answer goes out, so who has read it finds it in the log.
register_shutdown_function(
	function () {
		$entry = array(
			'method'  => $_SERVER['REQUEST_METHOD'],
			'target'  => $_SERVER['REQUEST_URI'],
			'status'  => http_response_code(),
			'headers' => array_change_key_case( getallheaders() ),
		);
		file_put_contents( getenv( 'EVERLOG_SITE' ) . '/requests.log', json_encode( $entry ) . "\n", FILE_APPEND | LOCK_EX );
	}
);

// What is in front of WordPress may refuse a page that WordPress itself has.
$everlog_shut = getenv( 'EVERLOG_SITE' ) . '/shut.json';
$everlog_shut = is_file( $everlog_shut ) ? json_decode( file_get_contents( $everlog_shut ), true ) : array();
if ( ! empty( $everlog_shut[ $everlog_path ] ) ) {
	http_response_code( $everlog_shut[ $everlog_path ] );
	echo '<!DOCTYPE html><title>Sorry</title><h1>This page is not available.</h1>';
	return true;
}

if ( is_file( $everlog_file ) && ! $everlog_is_php ) {
	return false;
}
if ( ! is_file( $everlog_file ) ) {
	// With plain permalinks WordPress writes no rewrite rules, and the web server looks for a file.
	if ( ! getenv( 'EVERLOG_REWRITES' ) && ! str_starts_with( $everlog_path, '/index.php/' ) ) {
		http_response_code( 404 );
		echo '<!DOCTYPE html><title>404 Not Found</title><h1>Not Found</h1>';
		return true;
	}
	$everlog_file = $_SERVER['DOCUMENT_ROOT'] . '/index.php';
}
unset( $_SERVER['PATH_INFO'] );
$_SERVER['SCRIPT_FILENAME'] = $everlog_file;
$_SERVER['SCRIPT_NAME']     = substr( $everlog_file, strlen( $_SERVER['DOCUMENT_ROOT'] ) );
$_SERVER['PHP_SELF']        = $_SERVER['SCRIPT_NAME'];
chdir( dirname( $everlog_file ) );
require $everlog_file;

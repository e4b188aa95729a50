"""Mementos: captured pages by themselves, on an origin of their own.

    replay_app       mementos, TimeGate, TimeMap; begin here
    memento_finder   which capture an address and a time mean, redirects followed
    memento_content  what is sent of it: rewritten, or its bytes in pieces
    sent_types       the types they are sent under
    memento_protocol headers and lists of RFC 7089
    replay_address   addresses of captures: `/web/<timestamp>/<url>`
    capture_times    timestamps, dates of HTTP, times in words
    byte_ranges      parts of a file, for audio and video
"""

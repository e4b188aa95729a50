"""Ground of the pure half: addresses, trees, words, selectors, and the shapes that every other package speaks in.

    urls, links, scope, ip_addresses, listing_words    addresses of the web; `scope` which are a blog's own
    tree, layout, outline, attributes                  pages as trees and as arrays
    selectors, signatures, rules, noise_names          ways to point at elements
    words, similarity, matching                        comparing texts
    fetcher                                            what may be asked of the web: Request, Response, Fetcher
    politeness, retry_policy                           when a host may be asked again; what is retried, and when

Begin with `tree` (bytes to a tree) and `urls` (one spelling for identity).
"""

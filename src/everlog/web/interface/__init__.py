"""The interface: the pages of everlog, each in a module that says which addresses it answers.

    interface_app    all of them together; begin here
    page_maker       what pages have in common: headers, errors, what is not held
    start_page       blogs
    blog_page        a blog's posts: `post_list` has filters and pages, `month_charts` the bars
    search_page      a search over all blogs: `search_results` has hits and filters
    complete_page    whether all of a blog is held
    captures_page    its captured addresses
    replay_frame     a captured page below the bar
"""

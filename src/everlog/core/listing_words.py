"""Words by which blogs name their lists, in the addresses of pages that are no posts.

A prior only: a word that stands in the address of a post of the feed says nothing about this blog.
"""

from __future__ import annotations

# Directories and pages that blog software makes by itself, and the same words where it speaks
# another language. Of 4,324 known posts of 84 blogs, one has such a word in its address where the posts of
# its feed have none: a page called "archive".
LISTING_WORDS = frozenset(
    "tag tags topic topics label labels keyword keywords category categories "
    "subcategory subcategories kategorie kategorien categoria categorias "
    "categorie kategoria kategorije kategori rubrik rubrique rubriques etiqueta etiquetas etiquette schlagwort "
    "author authors autor auteur auteurs autore writers contributors user users profile member members "
    "page pages pagina seite strona paged archive archives archiv archivo archivos archivio arxiu arquivo "
    "search suche recherche series date year month day index sitemap feed feeds rss atom comments "
    "attachment wp-content wp-includes wp-admin wp-json wp-login.php cgi-bin login register cart checkout account "
    "print amp embed trackback".split()
)

// A link to a comment that is not on this page leads to the part it is in. Without this file the page is read from its
// beginning; the links of the parts themselves need it not.
(() => {
  "use strict";
  const COMMENT = /^(?:c-[0-9a-f]{10}|comment-\d{1,6})$/;

  function follow() {
    const name = window.location.hash.slice(1);
    const place = document.querySelector("[data-comment]");
    if (!place || !COMMENT.test(name) || document.getElementById(name)) return;
    window.location.replace(place.dataset.comment.replace("ANCHOR", name));
  }

  window.addEventListener("hashchange", follow);
  follow();
})();

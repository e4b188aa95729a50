// Runs in the page's own world, in every frame, before the page's first script.
// It takes away what a page in an archive must not do: talk past the door, leave, ask, open windows.
(() => {
  "use strict";
  const define = (object, name, value) => {
    try { Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false }); } catch {}
  };
  const nothing = (answer) => function () { return answer; };

  // A closed shadow root could not be kept.
  const attach = Element.prototype.attachShadow;
  define(Element.prototype, "attachShadow", function attachShadow(init) {
    return attach.call(this, Object.assign({}, init, { mode: "open" }));
  });

  for (const name of ["alert", "print", "close", "stop", "moveTo", "resizeTo", "focus"]) define(window, name, nothing(undefined));
  define(window, "confirm", nothing(false));
  define(window, "prompt", nothing(null));
  define(window, "open", nothing(null));
  for (const name of ["back", "forward", "go"]) define(History.prototype, name, nothing(undefined));

  // A window without a history of its own refuses storage to frames of other sites, and their scripts end there.
  const memory = () => {
    const kept = new Map();
    return {
      getItem: (key) => kept.get(String(key)) ?? null,
      setItem: (key, value) => { kept.set(String(key), String(value)); },
      removeItem: (key) => { kept.delete(String(key)); },
      clear: () => kept.clear(),
      key: (at) => [...kept.keys()][at] ?? null,
      get length() { return kept.size; },
    };
  };
  for (const name of ["localStorage", "sessionStorage"]) {
    try { window[name]; } catch { define(window, name, memory()); }
  }

  // Connections that are not requests: they fail as they do where a firewall stands.
  const failing = (name, states) => {
    if (!window[name]) return;
    const Failing = class extends EventTarget {
      constructor(url) {
        super();
        this.url = String(url);
        this.readyState = 0;
        this.bufferedAmount = 0;
        setTimeout(() => {
          this.readyState = states.CLOSED;
          for (const kind of ["error", "close"]) {
            const event = new Event(kind);
            this.dispatchEvent(event);
            if (typeof this["on" + kind] === "function") this["on" + kind](event);
          }
        }, 0);
      }
      send() {}
      close() {}
    };
    Object.assign(Failing, states);
    Object.assign(Failing.prototype, states);
    define(window, name, Failing);
  };
  failing("WebSocket", { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 });
  failing("EventSource", { CONNECTING: 0, OPEN: 1, CLOSED: 2 });
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel", "WebTransport", "WebSocketStream"]) {
    try { delete window[name]; } catch {}
  }
  if (window.ServiceWorkerContainer) {
    define(ServiceWorkerContainer.prototype, "register", function register() {
      return Promise.reject(new DOMException("service workers are off", "SecurityError"));
    });
  }

  // The page stays the document it is; only its own fragment and its own history entries may change.
  if (window === window.top) {
    // The page before it may have stored something in its last moment.
    window.name = "";
    try { sessionStorage.clear(); localStorage.clear(); } catch {}
    if (window.navigation) {
      // What a page that listens may turn into a change of its own document goes on, and ends at the door. From one
      // that does not, nothing comes there: one that tries without a pause would keep the whole browser busy.
      const listen = EventTarget.prototype.addEventListener, stop = Event.prototype.preventDefault;
      let isHeard = false;
      define(navigation, "addEventListener", function addEventListener(kind, ...rest) {
        isHeard ||= kind === "navigate";
        return listen.call(navigation, kind, ...rest);
      });
      listen.call(navigation, "navigate", (event) => {
        const mayTurn = event.canIntercept && (isHeard || navigation.onnavigate);
        if (!event.destination.sameDocument && !mayTurn && event.cancelable) stop.call(event);
      }, true);
    }
  }
})();

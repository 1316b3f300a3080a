// Browsers start no workers for pages that are opened as files. There the search runs in a hidden frame
// instead, so that it works without a server and without a network.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.ready = new Promise((resolve) => {
        const frame = document.createElement("iframe");
        frame.hidden = true;
        document.body.append(frame);
        const inside = frame.contentWindow;
        inside.postMessage = (data) => this.answer(data);
        inside.importScripts = (...urls) => Promise.all(urls.map((each) => load(inside, new URL(each, url))));
        load(inside, url).then(() => resolve(inside));
      });
    }

    answer(data) {
      const event = new MessageEvent("message", { data });
      this.onmessage?.(event);
      this.dispatchEvent(event);
    }

    postMessage(data) {
      this.ready.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {}
  };

  const load = (inside, url) =>
    new Promise((resolve, reject) => {
      const script = inside.document.createElement("script");
      script.src = url;
      script.onload = resolve;
      script.onerror = reject;
      inside.document.head.append(script);
    });
}

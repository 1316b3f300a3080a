// ---- viewport: pan and zoom

const MIN_SCALE = 0.003, MAX_SCALE = 4;

class Viewport {
  constructor(frame, onchange) {
    Object.assign(this, { frame, onchange, x: 0, y: 0, scale: 1, pointers: new Map(), moved: false, pending: 0 });
    frame.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    frame.addEventListener("pointerdown", (event) => this.press(event));
    frame.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) frame.addEventListener(end, (event) => this.release(event));
  }

  get width() { return this.frame.clientWidth || 800; }
  get height() { return this.frame.clientHeight || 500; }

  // The wheel scrolls the page until the drawing has been clicked.
  wheel(event) {
    if (!event.ctrlKey && !this.frame.contains(document.activeElement)) return;
    event.preventDefault();
    this.zoomAt(event, Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)));
  }

  zoomAt({ clientX, clientY }, factor) {
    const box = this.frame.getBoundingClientRect();
    const [px, py] = [clientX - box.left, clientY - box.top];
    const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, this.scale * factor));
    this.x = px - (px - this.x) * (scale / this.scale);
    this.y = py - (py - this.y) * (scale / this.scale);
    this.scale = scale;
    this.changed();
  }

  zoom(factor) {
    const box = this.frame.getBoundingClientRect();
    this.zoomAt({ clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 }, factor);
  }

  press(event) {
    if (event.button > 0) return;
    this.pointers.set(event.pointerId, event);
    this.moved = false;
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    if (this.pointers.size === 2) this.pinch(event, before);
    else if (this.moved || Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY) > 4) {
      if (!this.moved) this.frame.setPointerCapture(event.pointerId);
      this.moved = true;
      this.x += event.clientX - before.clientX;
      this.y += event.clientY - before.clientY;
      this.changed();
    } else return;
    this.pointers.set(event.pointerId, event);
  }

  pinch(event, before) {
    const other = [...this.pointers.values()].find(({ pointerId }) => pointerId !== event.pointerId);
    const far = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
    this.moved = true;
    this.zoomAt({ clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2 }, far(event) / far(before));
  }

  release(event) {
    this.pointers.delete(event.pointerId);
  }

  get margin() { return Math.min(20, this.width / 40); }

  scaleToFit(bounds, height = this.height) {
    return Math.min(1.15, (this.width - 2 * this.margin) / bounds.width, (height - 2 * this.margin) / bounds.height);
  }

  shows({ left, top, width, height }) {
    const seen = this.window;
    return left >= seen.left && top >= seen.top && left + width <= seen.right && top + height <= seen.bottom;
  }

  fit(bounds) {
    this.scale = Math.max(MIN_SCALE, this.scaleToFit(bounds));
    this.x = (this.width - bounds.width * this.scale) / 2 - bounds.left * this.scale;
    this.y = (this.height - bounds.height * this.scale) / 2 - bounds.top * this.scale;
    this.changed();
  }

  // In a window too small for the whole, start at the root, at a readable size.
  startAt({ x, y, width, height }, direction) {
    this.scale = READABLE_SCALE;
    const [across, along] = direction === "right" ? [0, 0.5] : [0.5, 0];
    this.x = across * (this.width - width * this.scale) - x * this.scale + (across ? 0 : 12);
    this.y = along * (this.height - height * this.scale) - y * this.scale + (along ? 0 : 12);
    this.changed();
  }

  // Scroll a box into the window, no further than needed.
  reveal({ x, y, width, height }, margin = 24) {
    const shift = (low, size, room) => Math.max(0, margin - low) || Math.min(0, room - margin - low - size);
    this.x += shift(x * this.scale + this.x, width * this.scale, this.width);
    this.y += shift(y * this.scale + this.y, height * this.scale, this.height);
    this.changed();
  }

  get window() {
    return {
      left: -this.x / this.scale, top: -this.y / this.scale,
      right: (this.width - this.x) / this.scale, bottom: (this.height - this.y) / this.scale,
    };
  }

  changed() {
    this.pending ||= requestAnimationFrame(() => { this.pending = 0; this.onchange(); });
  }
}

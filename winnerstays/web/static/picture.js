// "Save a picture": the result as a PNG file, drawn here. A phone offers to send it, other browsers save it.
const SCALE = 2;
const PHOTO = { x: 580, y: 30, width: 170, height: 128 };

const loaded = (source) => new Promise((done, failed) => Object.assign(new Image(), { onload() { done(this); }, onerror: failed, src: source }));

async function draw(address, photo) {
  const drawing = await loaded(address);
  const canvas = Object.assign(document.createElement("canvas"), { width: SCALE * drawing.width, height: SCALE * drawing.height });
  const pen = canvas.getContext("2d");
  pen.scale(SCALE, SCALE);
  pen.drawImage(drawing, 0, 0);
  if (photo) {
    const size = Math.min(PHOTO.width / photo.naturalWidth, PHOTO.height / photo.naturalHeight);
    pen.drawImage(photo, PHOTO.x, PHOTO.y, size * photo.naturalWidth, size * photo.naturalHeight);
  }
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  return new File([blob], "favourite.png", { type: "image/png" });
}

async function save(address) {
  const shown = document.querySelector(".crown img.picture");
  const ours = shown?.naturalWidth && (shown.src.startsWith("data:") || new URL(shown.src).origin === location.origin);
  const file = await draw(address, ours ? shown : null); // a photo of another host must not be read
  if (navigator.canShare?.({ files: [file] })) return navigator.share({ files: [file] }).catch(() => {}); // or it is dismissed
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: file.name });
  link.click();
  URL.revokeObjectURL(link.href);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-picture]");
  if (!link) return;
  event.preventDefault();
  save(link.href);
});

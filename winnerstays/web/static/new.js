// A file that is dropped or chosen is put into the field as text, and shown before anything is sent.
const form = document.getElementById("new");
const items = form.elements.items;
const take = async (file) => { if (file) items.value = await file.text(); };

document.getElementById("file").addEventListener("change", (event) => take(event.target.files[0]));
items.addEventListener("dragover", (event) => event.preventDefault());
items.addEventListener("drop", (event) => {
  const file = event.dataTransfer.files[0];
  if (!file) return;
  event.preventDefault();
  take(file);
});

// An address that shows no picture: the preview shows what players will see, the title.
for (const picture of form.querySelectorAll("img.picture")) {
  picture.addEventListener("error", () => picture.remove());
  if (picture.complete && !picture.naturalWidth) picture.remove();
}

// The Stop and Play button below the animated game.
for (const button of document.querySelectorAll("button[hidden]")) {
  const figure = button.closest("figure");
  button.hidden = matchMedia("(prefers-reduced-motion: reduce)").matches;
  button.addEventListener("click", () => {
    button.textContent = figure.classList.toggle("stopped") ? "Play" : "Stop";
  });
}

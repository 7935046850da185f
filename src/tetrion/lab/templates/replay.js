// Shows the boards that the engine has computed; the page itself implements no rules of Tetris.
"use strict";
(() => {
  const game = JSON.parse(document.getElementById("game").textContent);
  const byId = (id) => document.getElementById(id);
  const { shapes, moves, details, grades, queue, height, cell, width } = game;
  const moveCount = moves.length;
  const CHECKPOINT_INTERVAL = 256; // moves between stored boards
  const MAX_LANDING_SPEED = 8; // moves per second up to which the landed piece is shown before the next one
  const MAX_SHOWN_KEYS = 12;
  const ACTION_SECONDS = 1.5; // how long an action text stays while the game is played
  const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
  const KEY_LABELS = { l: "←", r: "→", t: "Rotate", b: "Back", h: "180°", d: "↓", p: "Drop", o: "Hold" };
  const numberFormat = new Intl.NumberFormat("en-GB");
  const slider = byId("seek"), cells = byId("cells"), piece = byId("piece"), ghost = byId("ghost");
  const clearedRows = byId("cleared-rows");
  const checkpoints = [(details?.garbage[0] ?? []).map((row) => [...row])]; // the board after every CHECKPOINT_INTERVAL moves
  let moveIndex = 0, timer = 0, playing = false;

  // Score, lines and level before each move.
  const totals = [[0, 0, game.level]];
  for (const [, , , , points, level, cleared] of moves) {
    const [score, lines] = totals[totals.length - 1];
    totals.push([score + points, lines + cleared.length, level]);
  }
  // A board is a list of rows from the floor up, each with one letter or space per cell.
  const getCells = ([shape, column, row]) => shapes[shape].cells.map(([x, y]) => [column + x, row + y]);
  const placePiece = (rows, move) => {
    const letter = shapes[move[0]].piece, after = rows.map((row) => row.slice());
    for (const [x, y] of getCells(move)) {
      while (after.length <= y) after.push(Array(width).fill(" "));
      after[y][x] = letter;
    }
    return after;
  };
  const getBoard = (count) => {
    const checkpoint = Math.min(Math.floor(count / CHECKPOINT_INTERVAL), checkpoints.length - 1);
    let rows = checkpoints[checkpoint], done = checkpoint * CHECKPOINT_INTERVAL;
    while (done < count) {
      const move = moves[done++];
      const risen = details?.garbage[done] ?? [];
      rows = [...risen.map((row) => [...row]), ...placePiece(rows, move).filter((_, row) => !move[6].includes(row))];
      if (done % CHECKPOINT_INTERVAL === 0) checkpoints[done / CHECKPOINT_INTERVAL] = rows;
    }
    return rows;
  };

  // Drawing: each cell of the board is one <use> element that refers to a cell drawing in <defs>.
  const createSvg = (name, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const cellElements = [];
  for (let y = 0; y < height; y++) {
    cellElements.push([]);
    for (let x = 0; x < width; x++) {
      const element = createSvg("use", { x: x * cell, y: (height - 1 - y) * cell });
      cellElements[y].push(cells.appendChild(element));
    }
  }
  const setDrawing = (element, drawing) => {
    if (element.dataset.drawing === drawing) return;
    element.dataset.drawing = drawing;
    if (drawing) element.setAttribute("href", "#" + drawing);
    else element.removeAttribute("href");
  };
  const drawRows = (rows, state) => {
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const letter = (rows[y] || [])[x] || " ";
        setDrawing(cellElements[y][x], letter === " " ? "" : state + letter);
      }
  };
  const drawPiece = (move, row) => {
    piece.replaceChildren();
    if (!move || row < 0) return;
    const letter = shapes[move[0]].piece;
    for (const [x, y] of shapes[move[0]].cells) {
      const href = "#active" + letter;
      piece.appendChild(createSvg("use", { href, x: (move[1] + x) * cell, y: (height - 1 - row - y) * cell }));
    }
  };
  const drawOutline = (path, [shape, column, row]) => {
    const { outline, height: pieceHeight } = shapes[shape];
    path.setAttribute("d", outline);
    path.setAttribute("transform", `translate(${column * cell} ${(height - row - pieceHeight) * cell})`);
  };
  const drawGhost = (move) => {
    if (!move) return ghost.removeAttribute("d");
    drawOutline(ghost, move);
    ghost.setAttribute("stroke", shapes[move[0]].colour);
    ghost.setAttribute("fill", shapes[move[0]].colour);
  };
  const drawClearedRows = (rows) => {
    clearedRows.replaceChildren();
    for (const row of rows)
      clearedRows.appendChild(
        createSvg("rect", { x: 0, y: (height - 1 - row) * cell, width: width * cell, height: cell }));
  };

  // Texts.
  const describeColumns = (move) => {
    const columns = getCells(move).map(([x]) => x), [first, end] = [Math.min(...columns), Math.max(...columns)];
    return first === end ? `column ${first}` : `columns ${first} to ${end}`;
  };
  const describeMove = (move) => {
    if (!move) return game.over ? "The game is over." : "The recording ends here.";
    const cleared = move[6].length;
    const lines = cleared ? `; clears ${cleared === 1 ? "1 line" : cleared + " lines"}` : "";
    const action = details?.actions[moveIndex + 1] ? ` ${details.actions[moveIndex + 1].join(", ")}.` : "";
    const hold = details?.holds.includes(moveIndex + 1) ? " (hold)" : "";
    return `${shapes[move[0]].piece}${hold} to ${describeColumns(move)}, row ${move[2]}${lines}.${action}`;
  };
  const showGrade = ([grade = "", cost = "", ...better] = []) => {
    const line = byId("grade");
    if (!line) return;
    const mark = document.createElement("i"), word = document.createElement("strong");
    mark.style.background = game.gradeColours[grade] ?? "none";
    word.textContent = grade && grade[0].toUpperCase() + grade.slice(1);
    line.replaceChildren(mark, word, cost && ` ${cost}`);
    if (better.length) drawOutline(byId("better"), better);
    else byId("better").removeAttribute("d");
  };
  const groupKeys = (move) => {
    const groups = [];
    for (const key of move && move[7] ? move[7] : "") {
      const previous = groups[groups.length - 1];
      if (previous && previous[0] === key) previous[1]++;
      else groups.push([key, 1]);
    }
    return groups;
  };
  const showKeys = (move) => {
    const list = byId("keys");
    if (!list) return;
    const groups = groupKeys(move), shown = groups.slice(0, MAX_SHOWN_KEYS);
    list.replaceChildren(...shown.map(([key, times]) => {
      const item = document.createElement("li"), keyCap = document.createElement("kbd");
      keyCap.textContent = KEY_LABELS[key];
      keyCap.title = game.keys[key];
      item.append(keyCap, times > 1 ? ` ×${times}` : "");
      return item;
    }));
    const hiddenCount = groups.length - shown.length;
    if (hiddenCount || !groups.length) {
      const item = document.createElement("li");
      item.textContent = hiddenCount ? `and ${hiddenCount} more` : move ? "none" : "–";
      list.append(item);
    }
  };
  const showPieces = (id, letters, state = "") => {
    byId(id)?.replaceChildren(...[...letters].map((letter) => {
      const [pieceWidth, pieceHeight] = game.sizes[letter];
      const view = { viewBox: `0 0 ${pieceWidth} ${pieceHeight}`, role: "img", "aria-label": letter, class: state };
      const style = `aspect-ratio: ${pieceWidth} / ${pieceHeight}; --rows: ${pieceHeight / cell}`;
      const drawing = createSvg("svg", { ...view, style });
      drawing.appendChild(createSvg("use", { href: "#next" + letter }));
      return drawing;
    }));
  };
  const findRecentAction = () => {
    const count = playing ? Math.max(1, Math.round(ACTION_SECONDS * getSpeed())) : 1;
    for (let number = moveIndex; number > Math.max(0, moveIndex - count); number--)
      if (details.actions[number]) return details.actions[number];
    return [];
  };
  const showGarbage = (batches, dueRows) => {
    let top = height * cell;
    byId("garbage")?.replaceChildren(...batches.map((rows) => {
      const size = Math.min(top, rows * cell);
      const opacity = dueRows > 0 ? 1 : 0.45;
      top -= size;
      dueRows -= rows;
      return createSvg("rect", { y: top + 1, width: 10, height: Math.max(0, size - 2), rx: 2, opacity });
    }));
  };
  const showDetails = () => {
    const [hold, canHold, next, attack, backToBacks, combo, garbage, dueRows] = details.states[moveIndex];
    showPieces("hold", hold, canHold ? "" : "used");
    showPieces("next", next);
    showGarbage(garbage, dueRows);
    const lines = findRecentAction();
    byId("action").textContent = lines.join("\n");
    byId("action").hidden = !lines.length;
    return { attack, "back-to-backs": backToBacks, combo };
  };
  const boardToText = (rows) => {
    const lines = [];
    for (let y = height - 1; y >= 0; y--) lines.push((rows[y] || Array(width).fill(" ")).join("").replaceAll(" ", ".").replaceAll("g", "#"));
    return lines.join("\n");
  };

  // Show the game before the next move, or with the piece of that move landed and its full rows highlighted.
  const show = (landed = false) => {
    const move = moves[moveIndex], rows = getBoard(moveIndex), ended = !move && game.over;
    drawRows(rows, ended ? "over" : "locked");
    drawPiece(move, move ? (landed ? move[2] : move[3]) : -1);
    drawGhost(landed ? null : move);
    drawClearedRows(landed ? move[6] : []);
    if (landed) return;
    const [score, lines, level] = totals[moveIndex];
    if (!details) showPieces("next", queue.slice(moveIndex + 1, moveIndex + 1 + game.preview));
    const counters = { score, lines, level, pieces: moveIndex, ...(details ? showDetails() : {}) };
    for (const [name, value] of Object.entries(counters)) {
      if (byId(name)) byId(name).textContent = numberFormat.format(value);
    }
    const progress = `Move ${numberFormat.format(moveIndex)} of ${numberFormat.format(moveCount)}`;
    byId("progress").textContent = progress;
    slider.value = moveIndex;
    slider.style.setProperty("--done", `${moveCount ? (100 * moveIndex) / moveCount : 0}%`);
    slider.setAttribute("aria-valuetext", progress);
    byId("move-text").textContent = describeMove(move);
    showGrade(grades[moveIndex]);
    byId("text").textContent = boardToText(rows);
    const description = `Board after ${moveIndex} of ${moveCount} moves, ${rows.length} rows high.`;
    byId("board").setAttribute("aria-label", `${description} ${describeMove(move)}`);
    byId("over").hidden = !ended;
    showKeys(move);
    for (const id of ["first", "back"]) byId(id).setAttribute("aria-disabled", moveIndex === 0);
    for (const id of ["forward", "last"]) byId(id).setAttribute("aria-disabled", moveIndex === moveCount);
  };

  // Playing.
  const getSpeed = () => Number(document.querySelector("input[name=speed]:checked").value);
  const wait = (share, callback) => { timer = setTimeout(callback, (share * 1000) / getSpeed()); };
  const step = () => {
    if (moveIndex >= moveCount) return pause();
    if (reducedMotion.matches || getSpeed() > MAX_LANDING_SPEED) return wait(1, advance);
    wait(0.55, () => { show(true); wait(0.45, advance); });
  };
  const advance = () => { moveIndex++; show(); step(); };
  const updatePlayButton = () => {
    byId("play-label").textContent = playing ? "Pause" : "Play";
    byId("play-icon").setAttribute("d", playing ? "M1 0h4v14H1zM9 0h4v14H9z" : "M2 0l11 7-11 7z");
    byId("move-text").setAttribute("aria-live", playing ? "off" : "polite");
  };
  const pause = () => { clearTimeout(timer); playing = false; updatePlayButton(); };
  const play = () => {
    if (!moveCount) return;
    if (moveIndex >= moveCount) moveIndex = 0;
    playing = true;
    updatePlayButton();
    show();
    step();
  };
  const goTo = (index) => { pause(); moveIndex = Math.max(0, Math.min(moveCount, index)); show(); };
  const actions = {
    play: () => (playing ? pause() : play()),
    first: () => goTo(0),
    back: () => goTo(moveIndex - 1),
    forward: () => goTo(moveIndex + 1),
    last: () => goTo(moveCount),
  };
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
  slider.addEventListener("input", () => goTo(Number(slider.value)));
  const shortcuts = { " ": "play", ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    const target = event.target, name = shortcuts[event.key];
    const movesRadio = target.type === "radio" && event.key.startsWith("Arrow");
    const activatesTarget = event.key === " " && (target.closest("button, summary") || target.type === "radio");
    if (!name || event.ctrlKey || event.metaKey || event.altKey || movesRadio || activatesTarget) return;
    event.preventDefault();
    actions[name]();
  });
  show();
  updatePlayButton();
  byId("play").focus({ preventScroll: true });
})();

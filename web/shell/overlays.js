// What lies over the view: dialogs, menus and sheets. All of it closes when another view is entered, by a link or along the history.

/** @type {(() => void)[]} */
const closers = [];

/**
 * For a menu or a sheet; dialogs are found by themselves.
 * @param {() => void} close closes it where it is open
 */
export const closesWithView = (close) => { closers.push(close); };

export function closeOverlays() {
  for (const dialog of /** @type {NodeListOf<HTMLDialogElement>} */ (document.querySelectorAll("dialog[open]"))) dialog.close();
  for (const close of closers) close();
}

/** Menus are `details.menu`, which also open without scripts. */

/** Closes an open menu when another one opens, on a click outside, and on Escape, which also returns the focus to its button. */
export function closeMenus(): void {
  document.addEventListener('click', ({ target }) => {
    for (const menu of openMenus()) if (!(target instanceof Node && menu.contains(target))) menu.open = false;
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    for (const menu of openMenus()) {
      const hadFocus = menu.contains(document.activeElement);
      menu.open = false;
      if (hadFocus) menu.querySelector('summary')?.focus();
    }
  });
}

const openMenus = () => document.querySelectorAll<HTMLDetailsElement>('details.menu[open]');

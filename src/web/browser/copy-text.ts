const confirmationMs = 1600;

/** Makes the button copy the text of the element and then show `copied` for a moment. */
export function copyOnClick(button: HTMLElement, source: Element, copied: string): void {
  const label = button.textContent;
  button.addEventListener('click', async () => {
    if (!(await copyText(source))) return;
    button.textContent = copied;
    setTimeout(() => {
      button.textContent = label;
    }, confirmationMs);
  });
}

/** Without HTTPS, and in browsers embedded in apps, only the old clipboard command works. */
export async function copyText(source: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(source.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(source);
    return document.execCommand('copy');
  }
}

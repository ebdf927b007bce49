// Pages are complete without this file.
copyButtons();
touchScreens();
afterInstall();
freshLinks();

/** A button beside every text that is there to be taken away. */
function copyButtons() {
  for (const block of document.querySelectorAll('[data-copy]')) {
    const { copy, copied } = block.dataset;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = copy;
    button.ariaLive = 'polite';
    button.addEventListener('click', async () => {
      if (!(await copyText(block.querySelector('code')))) return;
      button.textContent = copied;
      setTimeout(() => {
        button.textContent = copy;
      }, 1600);
    });
    block.append(button);
  }
}

/** Without https, and in the browsers inside apps, there is no clipboard but the old one. */
async function copyText(element) {
  try {
    await navigator.clipboard.writeText(element.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(element);
    return document.execCommand('copy');
  }
}

/** An iPad says that it is a Macintosh, which has no touch screen. */
function touchScreens() {
  if (navigator.maxTouchPoints < 2) return;
  for (const part of document.querySelectorAll('[data-touch]')) part.hidden = !part.hidden;
}

/** Says what comes next after the tap, since the page itself stays as it is. */
function afterInstall() {
  for (const link of document.querySelectorAll('[data-install]')) {
    link.addEventListener('click', () => {
      link.nextElementSibling.firstElementChild.hidden = false;
    });
  }
}

/** Links to a package run out: a page that comes back into view after that time is loaded anew. */
function freshLinks() {
  const page = document.querySelector('[data-fresh-for]');
  if (!page) return;
  const until = Date.now() + page.dataset.freshFor * 1000;
  const renew = () => {
    const stale = Date.now() > until && navigator.onLine;
    if (stale && document.visibilityState === 'visible') location.reload();
    return stale;
  };
  addEventListener('pageshow', renew);
  document.addEventListener('visibilitychange', renew);
  page.addEventListener('click', (event) => {
    if (event.target.closest('[data-install]') && renew()) event.preventDefault();
  });
}

// Pages are complete without this file.
copyButtons();
touchScreens();
afterInstall();
freshLinks();
liveSearch();
currentTab();
focusOnNews();

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

/** Answers while somebody types: the page itself gives the part of it that changes, and says how much was found. */
function liveSearch() {
  const form = document.querySelector('[data-live]');
  if (!form) return;
  const part = document.getElementById(form.dataset.live);
  const status = form.querySelector('[role=status]');
  let timer;
  let asked = 0;
  const ask = async () => {
    asked += 1;
    const turn = asked;
    const address = `${form.getAttribute('action')}?${new URLSearchParams(new FormData(form))}`;
    const answer = await fetch(`${address}&part=${part.id}`, { headers: { Accept: 'text/html' } });
    // Signed out meanwhile.
    if (answer.redirected || !answer.ok) return location.assign(address);
    const html = await answer.text();
    if (turn !== asked) return;
    part.innerHTML = html;
    status.textContent = part.querySelector('[data-found]')?.dataset.found ?? '';
    history.replaceState(null, '', address);
  };
  form.addEventListener('input', () => {
    clearTimeout(timer);
    // Without a connection the list stays as it is, and the button tells why.
    timer = setTimeout(() => ask().catch(() => undefined), 150);
  });
}

/** Where the navigation is wider than the window, the page that is open is in sight. */
function currentTab() {
  const tab = document.querySelector('.tabs [aria-current], .settings-nav [aria-current]');
  const strip = tab?.closest('nav');
  if (!strip || strip.scrollWidth <= strip.clientWidth) return;
  strip.scrollLeft = tab.offsetLeft - (strip.clientWidth - tab.offsetWidth) / 2;
}

/** Typing goes on where a form was refused or begins where there is but one; what was done is read first. */
function focusOnNews() {
  if (location.hash) return;
  for (const first of ['[aria-invalid=true]', '[data-begin]', '[data-news]']) {
    const part = document.querySelector(first);
    if (part) return part.focus();
  }
}

// The upload page without this file: a form that is sent and answered as a whole.
/** Said by the server, in words for people. */
class Refused extends Error {}

/** The overlay of the page, and who takes what is dropped on it. */
let dropTarget = null;

const form = document.querySelector('form[data-upload]');
if (form) takeFiles(form);
else openOnDrop();

/** Anywhere on a page that leads to the upload page: what is dropped goes there with it. */
function openOnDrop() {
  const overlay = document.querySelector('[data-drop]');
  if (!overlay) return;
  watchDrops(overlay, async (found) => {
    const { drop, apk, ipa, failed } = overlay.dataset;
    const kinds = new Set(found.map(({ file }) => kindOf(file)));
    // One App's address takes that App alone; different packages at once are the Owner's.
    const address = (kinds.size === 1 && { apk, ipa }[[...kinds][0]]) || drop;
    try {
      const answer = await fetch(address, { headers: { Accept: 'text/html' } });
      if (!answer.ok || answer.redirected) throw new Error(answer.status);
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      history.pushState(null, '', address);
      document.title = page.title;
      document.querySelector('main').replaceWith(page.querySelector('main'));
      addEventListener('popstate', () => location.reload());
      takeFiles(document.querySelector('form[data-upload]')).add(found);
      scrollTo(0, 0);
    } catch {
      overlay.firstElementChild.textContent = failed;
      overlay.hidden = false;
      setTimeout(() => location.assign(address), 1500);
    }
  });
}

/** Turns the form into a list of files that are sent one after another. */
function takeFiles(form) {
  const words = JSON.parse(form.dataset.words);
  const input = form.querySelector('[type=file]');
  const list = form.querySelector('.upload-list');
  const status = form.querySelector('[role=status]');
  const endings = form.dataset.upload.split(',');
  const entries = new Set();
  const waiting = [];
  let sending = null;

  input.multiple = true;
  input.required = false;
  for (const part of form.querySelectorAll('[data-scripted]')) part.hidden = false;
  const key = form.elements.distribution_key;
  if (key) {
    const chosen = () => {
      form.elements.distribution_name.closest('.field').hidden = key.value !== '';
    };
    key.addEventListener('change', chosen);
    chosen();
  }

  const faultOf = ({ file, folder }) => {
    if (folder) return words.folder;
    if (/\.aab$/i.test(file.name)) return words.bundle;
    if (!endings.includes(`.${kindOf(file)}`)) return fill(words.wrongKind, { kinds: endings.join(', ') });
    if (file.size === 0) return words.empty;
    const { maxBytes, most } = form.dataset;
    return file.size > Number(maxBytes) ? fill(words.tooLarge, { most }) : null;
  };
  const add = (found) => {
    for (const one of found) {
      const entry = createEntry(one.file);
      const fault = faultOf(one);
      entries.add(entry);
      if (fault) entry.stop(fault, false);
      else entry.ready();
    }
    list.hidden = entries.size === 0;
    if ([...entries].some(({ state }) => state === 'ready')) form.querySelector('[type=submit]').focus();
  };
  const sendNext = () => {
    if (sending || waiting.length === 0) return;
    sending = waiting.shift();
    sending.send().finally(() => {
      sending = null;
      sendNext();
    });
  };
  const enqueue = (entry) => {
    entry.wait();
    waiting.push(entry);
    sendNext();
  };

  function createEntry(file) {
    const row = document.getElementById('upload-row').content.firstElementChild.cloneNode(true);
    const part = Object.fromEntries(
      [...row.querySelectorAll('[data-part]')].map((one) => [one.dataset.part, one]),
    );
    const show = (...names) => {
      for (const name of ['progress', 'cancel', 'retry', 'remove']) part[name].hidden = !names.includes(name);
    };
    let abort = () => undefined;
    const entry = {
      state: 'new',
      focus() {
        row.focus();
      },
      ready() {
        entry.to('ready', fill(words.ready, { size: bytes(file.size) }), 'remove');
      },
      wait() {
        entry.fields = fieldsOf(form);
        // The same for every further try, so that an answer that got lost makes no second build.
        entry.key ??= randomKey();
        entry.to('waiting', words.waiting, 'cancel');
      },
      stop(why, again = true) {
        entry.to('stopped', why, ...(again ? ['retry', 'remove'] : ['remove']));
        say(fill(words.saidStopped, { name: file.name, why }));
      },
      to(state, text, ...shown) {
        // Hidden beneath somebody's finger, a button would take the focus with it.
        const held = row.contains(document.activeElement);
        entry.state = state;
        row.dataset.state = state;
        part.state.textContent = text;
        show(...shown);
        if (held && document.activeElement?.hidden !== false) row.focus();
      },
      async send() {
        if (entry.state !== 'waiting') return;
        const canceller = new AbortController();
        abort = () => canceller.abort();
        try {
          const csrf = await askFirst(form, file, entry.key, words, canceller.signal);
          const answer = await post(csrf);
          done(answer.results);
        } catch (error) {
          if (canceller.signal.aborted) entry.stop(words.cancelled);
          else entry.stop(error instanceof Refused ? error.message : words.broken);
        }
      },
    };
    const post = (csrf) => {
      const body = new FormData();
      body.append('csrf', csrf);
      for (const [name, value] of entry.fields) body.append(name, value);
      body.append('file', file);
      const request = new XMLHttpRequest();
      abort = () => request.abort();
      entry.to('sending', '', 'progress', 'cancel');
      part.progress.setAttribute('aria-label', file.name);
      part.progress.value = 0;
      const meter = createMeter(file.size);
      let drawnAt = 0;
      const draw = (sent) => {
        const now = performance.now();
        const { rate, left } = meter(sent, now);
        if (now - drawnAt < 200 && sent < file.size) return;
        drawnAt = now;
        const pieces = [fill(words.sending, { sent: bytes(sent), size: bytes(file.size) })];
        if (rate) pieces.push(fill(words.rate, { rate: bytes(rate) }));
        if (rate) pieces.push(left);
        part.progress.value = sent / file.size;
        part.state.textContent = pieces.join(' · ');
        murmur(
          fill(words.said, { name: file.name, percent: percent(sent / file.size), left: rate ? left : '' }),
        );
      };
      const leftIn = (seconds) => (seconds < 1 ? words.soon : fill(words.left, { time: duration(seconds) }));
      function createMeter(size) {
        let before = null;
        let rate = 0;
        let counted = 0;
        return (sent, now) => {
          if (before && now > before.now) {
            const seconds = (now - before.now) / 1000;
            // Forgets by half in two seconds, however often it is asked.
            const weight = 1 - 0.5 ** (seconds / 2);
            counted += weight * (1 - counted);
            rate += weight * ((sent - before.sent) / seconds - rate);
          }
          before = { sent, now };
          const fair = counted > 0.2 ? rate / counted : 0;
          return { rate: fair, left: fair ? leftIn((size - sent) / fair) : '' };
        };
      }
      return new Promise((resolve, reject) => {
        request.upload.addEventListener('progress', ({ loaded }) => draw(Math.min(loaded, file.size)));
        request.upload.addEventListener('load', () => {
          // From here on the server has it all, and nothing can be called back.
          part.progress.removeAttribute('value');
          entry.to('reading', words.reading, 'progress');
          say(words.reading);
        });
        request.addEventListener('load', () => {
          if (request.status === 200 && request.response?.results) resolve(request.response);
          else reject(new Refused(reasonOf(request.status, request.response, words)));
        });
        request.addEventListener('error', () => reject(new Error('broken')));
        request.addEventListener('abort', () => reject(new Refused(words.cancelled)));
        request.open('POST', form.action);
        request.responseType = 'json';
        request.setRequestHeader('Accept', 'application/json');
        request.setRequestHeader('Idempotency-Key', entry.key);
        request.send(body);
      });
    };
    const done = (build) => {
      const version = build.version_name
        ? `${build.version_name} (${build.version_code})`
        : build.version_code;
      const revision = fill(words.revision, { revision: build.revision });
      entry.to('done', `${version} · ${revision} · ${bytes(build.file_size)}`);
      part.name.textContent = build.name;
      const icon = new Image(40, 40);
      icon.alt = '';
      icon.className = 'icon icon-small';
      icon.src = pathOf(build.icon);
      part.icon.replaceChildren(icon);
      part.icon.hidden = false;
      part.build.href = pathOf(build.revision_url);
      part.links.hidden = false;
      if (build.distribution) {
        part.page.href = pathOf(build.distribution.url);
        part.link.textContent = build.distribution.url;
        part.page.hidden = false;
        part.address.hidden = false;
      }
      say(fill(words.saidDone, { name: build.name, revision: build.revision }));
    };
    const drop = () => {
      entries.delete(entry);
      row.remove();
      list.hidden = entries.size === 0;
      input.focus();
    };
    row.tabIndex = -1;
    part.name.textContent = file.name;
    for (const act of ['cancel', 'retry', 'remove']) {
      part[act].setAttribute('aria-label', `${part[act].textContent} ${file.name}`);
    }
    part.cancel.addEventListener('click', () => {
      const place = waiting.indexOf(entry);
      if (place < 0) return abort();
      waiting.splice(place, 1);
      entry.ready();
    });
    part.retry.addEventListener('click', () => enqueue(entry));
    part.remove.addEventListener('click', drop);
    part.copy.addEventListener('click', () => copyAddress(part.link, part.copy));
    list.append(row);
    return entry;
  }

  let murmuredAt = 0;
  const say = (text) => {
    murmuredAt = performance.now();
    status.textContent = text;
  };
  const murmur = (text) => {
    if (performance.now() - murmuredAt > 8000) say(text);
  };

  input.addEventListener('change', () => {
    add([...input.files].map((file) => ({ file, folder: false })));
    input.value = '';
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const ready = [...entries].filter(({ state }) => state === 'ready');
    if (ready.length === 0) input.focus();
    // The button stands below, and what becomes of the file above.
    ready[0]?.focus();
    for (const entry of ready) enqueue(entry);
  });
  addEventListener('beforeunload', (event) => {
    if (sending || waiting.length > 0) event.preventDefault();
  });
  // A page of which the upload page took the place watches already.
  const overlay = document.querySelector('[data-drop]');
  if (overlay) watchDrops(overlay, add);
  return { add };
}

/** What the server can refuse at once it refuses before a byte of the file is sent. Answers the token for the form. */
async function askFirst(form, file, key, words, signal) {
  const address = `${form.getAttribute('action')}?bytes=${file.size}`;
  const headers = { Accept: 'application/json', 'Idempotency-Key': key };
  const answer = await fetch(address, { headers, signal, redirect: 'error' });
  const body = await answer.json().catch(() => null);
  if (!answer.ok) throw new Refused(reasonOf(answer.status, body, words));
  return body.csrf;
}

function reasonOf(status, body, words) {
  if (status === 401) return words.signedOut;
  return status < 500 || status === 507 ? (body?.message ?? words.failed) : words.failed;
}

/** As they are now: what is typed afterwards is for the next file. */
function fieldsOf(form) {
  const left = ['csrf', 'file'];
  return [...new FormData(form)].filter(([name, value]) => !left.includes(name) && value !== '');
}

/** Shows the overlay while files are dragged over the page, and hands over what is dropped. */
function watchDrops(overlay, take) {
  const first = dropTarget === null;
  dropTarget = { overlay, take };
  if (!first) return;
  let depth = 0;
  const show = () => {
    dropTarget.overlay.hidden = depth === 0;
  };
  const listen = (type, act) =>
    addEventListener(type, (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      act(event);
      show();
    });
  listen('dragenter', () => {
    depth += 1;
  });
  listen('dragover', (event) => {
    event.dataTransfer.dropEffect = 'copy';
  });
  listen('dragleave', () => {
    depth = Math.max(0, depth - 1);
  });
  listen('drop', (event) => {
    depth = 0;
    const items = [...event.dataTransfer.items].filter(({ kind }) => kind === 'file');
    const found = items.map((item) => ({
      file: item.getAsFile(),
      folder: item.webkitGetAsEntry?.()?.isDirectory ?? false,
    }));
    dropTarget.take(found.filter(({ file }) => file !== null));
  });
}

async function copyAddress(source, button) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    getSelection().selectAllChildren(source);
    if (!document.execCommand('copy')) return;
  }
  button.textContent = button.dataset.copied;
  setTimeout(() => {
    button.textContent = before;
  }, 1600);
}

function kindOf(file) {
  return /\.([^.]+)$/.exec(file.name)?.[1].toLowerCase() ?? '';
}

/** Without https there is no `crypto.randomUUID`. */
function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/** Behind another name than the server's own, its addresses work here all the same. */
function pathOf(address) {
  const { pathname, search } = new URL(address, location.href);
  return pathname + search;
}

function fill(pattern, values) {
  return pattern.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

function number(options) {
  return new Intl.NumberFormat(document.documentElement.lang, options);
}

/** As `formatBytes` on the server. */
function bytes(count) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let amount = count;
  for (; Number(amount.toFixed(1)) >= 1024 && unit < units.length - 1; unit += 1) amount /= 1024;
  return `${Number(amount.toFixed(unit === 0 ? 0 : 1))} ${units[unit]}`;
}

function percent(share) {
  return number({ style: 'percent', maximumFractionDigits: 0 }).format(share);
}

function duration(seconds) {
  const [unit, span] = seconds < 90 ? ['second', 1] : seconds < 5400 ? ['minute', 60] : ['hour', 3600];
  return number({ style: 'unit', unit, unitDisplay: 'long' }).format(Math.max(1, Math.round(seconds / span)));
}

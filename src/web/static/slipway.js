// Adds a button to every block of code that copies it. Pages are complete without this file.
for (const block of navigator.clipboard ? document.querySelectorAll('[data-copy]') : []) {
  const { copy, copied } = block.dataset;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = copy;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent);
    button.textContent = copied;
    setTimeout(() => {
      button.textContent = copy;
    }, 1600);
  });
  block.append(button);
}

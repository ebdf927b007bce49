/** Entry of `upload.js`. Without it, the upload page is an ordinary form. */
import { findElement } from './elements.ts';
import { openUploadPageOnDrop } from './upload/open-on-drop.ts';
import { enhanceUploadForm } from './upload/upload-form.ts';

const form = findElement(document, 'form[data-upload]', HTMLFormElement);
const overlay = findElement(document, '[data-drop]', HTMLElement);
if (form) enhanceUploadForm(form);
else if (overlay) openUploadPageOnDrop(overlay);

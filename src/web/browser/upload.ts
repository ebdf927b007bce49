/** Entry of `upload.js`. Without it the upload page is a form that is sent and answered as a whole. */
import { findElement } from './elements.ts';
import { openUploadPageOnDrop } from './upload/open-on-drop.ts';
import { enhanceUploadForm } from './upload/upload-form.ts';

const form = findElement(document, 'form[data-upload]', HTMLFormElement);
const overlay = findElement(document, '[data-drop]', HTMLElement);
if (form) enhanceUploadForm(form);
else if (overlay) openUploadPageOnDrop(overlay);

// npm run build: bundles the program, the scripts of pages and the uploader into dist/, with what they load. Installs nothing.
import { chmodSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundleBrowserScripts } from './bundle-browser.mjs';
import { bundleProgram } from './bundle-program.mjs';
import { bundleUploader } from './bundle-uploader.mjs';
import { markBuilt, root } from './workshop.mjs';

const dist = join(root, 'dist');
rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, 'chunks'), { recursive: true });
await Promise.all([bundleProgram(), bundleBrowserScripts(), bundleUploader()]);
// npx sets the executable bit only on first use, and a rebuild would lose it.
chmodSync(join(dist, 'main.js'), 0o755);
cpSync(join(root, 'src/web/static'), join(dist, 'static'), { recursive: true });
cpSync(
  join(root, 'src/accounts/passwords/common-password-hashes.txt'),
  join(dist, 'chunks/common-password-hashes.txt'),
);
markBuilt();

// npm run build: bundles the program, the scripts of pages and the uploader into dist/, with what they load. Installs nothing.
import { chmodSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
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
// Files that the program reads next to its code.
for (const path of [
  'accounts/passwords/common-password-hashes.txt',
  'db/migrations/0001-baseline.sqlite.sql',
  'db/migrations/0001-baseline.postgres.sql',
])
  cpSync(join(root, 'src', path), join(dist, 'chunks', basename(path)));
markBuilt();

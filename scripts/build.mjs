// npm run build: compiles to dist/, bundles the scripts of pages and the uploader, copies what pages load. Installs nothing.
import { chmodSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findNode, markBuilt, root, run, tool } from './workshop.mjs';

const dist = join(root, 'dist');
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
run(findNode(), [tool('typescript'), '-p', 'tsconfig.build.json']);
// npx sets the executable bit only on first use, and a rebuild would lose it.
chmodSync(join(dist, 'main.js'), 0o755);
run(findNode(), [join(root, 'scripts', 'bundle-browser.mjs')]);
cpSync(join(root, 'src', 'web', 'static'), join(dist, 'web', 'static'), { recursive: true });
for (const data of ['accounts/passwords/common-password-hashes.txt'])
  cpSync(join(root, 'src', data), join(dist, data));
run(findNode(), [join(root, 'scripts', 'bundle-uploader.mjs')]);
markBuilt();

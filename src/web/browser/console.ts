/** Entry of `console.js`, which the pages for signed-in people load. Pages are complete without it. */
import { closeMenus } from './console/menus.ts';

closeMenus();

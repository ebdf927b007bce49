/** Entry of `slipway.js`, which every page loads. Pages work without it. */
import { addCopyButtons } from './page/copy-buttons.ts';
import { filterParts } from './page/filter.ts';
import { renewExpiredLinks, showInstallSteps, showTouchScreenParts } from './page/install.ts';
import { searchWhileTyping } from './page/live-search.ts';
import { focusOnResult, scrollToCurrentTab } from './page/scroll-and-focus.ts';

addCopyButtons();
showTouchScreenParts();
showInstallSteps();
renewExpiredLinks();
searchWhileTyping();
filterParts();
scrollToCurrentTab();
focusOnResult();

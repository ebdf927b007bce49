/** Entry of `slipway.js`, which every page loads. Pages are complete without it. */
import { addCopyButtons } from './page/copy-buttons.ts';
import { showInstallSteps, renewExpiredLinks, showTouchScreenParts } from './page/install.ts';
import { searchWhileTyping } from './page/live-search.ts';
import { focusOnResult, scrollToCurrentTab } from './page/orientation.ts';

addCopyButtons();
showTouchScreenParts();
showInstallSteps();
renewExpiredLinks();
searchWhileTyping();
scrollToCurrentTab();
focusOnResult();

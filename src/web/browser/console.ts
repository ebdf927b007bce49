/** Entry of `console.js`, which pages for signed-in people load. They work without it. */

import { enhanceBuildTable } from './console/build-table.ts';
import { enhanceColorFields } from './console/color-fields.ts';
import { enhanceComboboxes } from './console/combobox.ts';
import { enhanceDayColumns } from './console/day-columns.ts';
import { guardForms } from './console/guarded-forms.ts';
import { showLiveUpdates } from './console/live-updates.ts';
import { showLocalTimes } from './console/local-times.ts';
import { closeMenus } from './console/menus.ts';
import { enhanceOpenChoices } from './console/open-choices.ts';
import { enablePalette } from './console/palette.ts';
import { enableSharing } from './console/share.ts';
import { swapParts } from './console/swap-parts.ts';

closeMenus();
enableSharing(document);
enhanceBuildTable();
enhanceColorFields();
enhanceComboboxes();
enhanceDayColumns();
enhanceOpenChoices();
enablePalette();
showLiveUpdates();
showLocalTimes();
swapParts();
guardForms();

/** Top and bottom colors of a background. White has a contrast of at least 4.5 on the lighter one (WCAG 2.2, 1.4.3). */
export interface MonogramColors {
  top: string;
  bottom: string;
}

export const monogramPalette: readonly MonogramColors[] = [
  { top: '#3b6fd4', bottom: '#2a52a8' },
  { top: '#5661d6', bottom: '#3f48ac' },
  { top: '#7554cf', bottom: '#573ca5' },
  { top: '#9048bd', bottom: '#6d3393' },
  { top: '#ad3f9f', bottom: '#85307b' },
  { top: '#c23a77', bottom: '#972b5c' },
  { top: '#c93f4d', bottom: '#9c2e3b' },
  { top: '#bf4d27', bottom: '#95391b' },
  { top: '#a3600f', bottom: '#7e4909' },
  { top: '#847014', bottom: '#65550c' },
  { top: '#617a1c', bottom: '#495d13' },
  { top: '#3a8035', bottom: '#2a6228' },
  { top: '#1f8160', bottom: '#14634a' },
  { top: '#137f80', bottom: '#0b6163' },
  { top: '#1c7aa0', bottom: '#125d7c' },
  { top: '#5a6b80', bottom: '#434f61' },
];

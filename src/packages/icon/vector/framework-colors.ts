/** The platform colors that apps refer to: `android.R.color`, ids from its public resources, values from its colors.xml. */
const frameworkColors: ReadonlyMap<number, number> = new Map([
  [0x01060000, 0xffaaaaaa], // darker_gray
  [0x0106000b, 0xffffffff], // white
  [0x0106000c, 0xff000000], // black
  [0x0106000d, 0x00000000], // transparent
  [0x0106000e, 0xff000000], // background_dark
  [0x0106000f, 0xffffffff], // background_light
  [0x01060012, 0xff33b5e5], // holo_blue_light
  [0x01060013, 0xff0099cc], // holo_blue_dark
  [0x01060014, 0xff99cc00], // holo_green_light
  [0x01060015, 0xff669900], // holo_green_dark
  [0x01060016, 0xffff4444], // holo_red_light
  [0x01060017, 0xffcc0000], // holo_red_dark
  [0x01060018, 0xffffbb33], // holo_orange_light
  [0x01060019, 0xffff8800], // holo_orange_dark
  [0x0106001a, 0xffaa66cc], // holo_purple
  [0x0106001b, 0xff00ddff], // holo_blue_bright
  [0x0106001c, 0xff607d8b], // system_notification_accent_color
]);

/** Returns 0xAARRGGBB; null for any other id. */
export function frameworkColor(id: number): number | null {
  return frameworkColors.get(id) ?? null;
}

import type { XmlElement } from '../../apk/binary-xml.ts';
import type { Drawable, DrawableReader } from './drawable.ts';
import { attributesOf } from './drawable-attributes.ts';

/** Reads the content of an element: its `android:drawable`, otherwise its first element. */
export async function readChild(reader: DrawableReader, element: XmlElement): Promise<Drawable | null> {
  const stated = attributesOf(reader.files, element).raw('drawable');
  if (stated && stated.kind !== 'null') return reader.readValue(stated);
  const child = element.children[0];
  return child ? reader.readElement(child) : null;
}

/** Describes the device of a visitor, based on the headers of its browser. */
import type { Visitor } from '../core/visitor.ts';
import { texts } from '../web/shell/texts.ts';
import { feedbackTexts } from './feedback-texts.ts';

const maxModelLength = 60;

/** Formats `iPhone, iOS 17.5` or `Pixel 8, Android 15`. */
export function deviceText(visitor: Visitor, userAgent: string): string {
  const t = feedbackTexts.device;
  const { system, osVersion, model } = visitor;
  if (system === 'bot') return feedbackTexts.form.unknownDevice;
  if (system === 'desktop') return t.desktop;
  const name = system === 'ios' ? t[model ?? 'iphone'] : (androidModel(userAgent) ?? t.android);
  return osVersion === null ? name : `${name}, ${texts.platforms[system]} ${osVersion}`;
}

/** Chrome has sent `K` instead of the model since version 110; other browsers still send it. */
function androidModel(userAgent: string): string | null {
  const model = /\(Linux; Android [\d.]{1,12}; ([^;()]{2,200}?)(?: Build\/[^;()]*)?[;)]/.exec(
    userAgent.slice(0, 1024),
  )?.[1];
  return model === undefined || model === 'wv' ? null : model.trim().slice(0, maxModelLength);
}

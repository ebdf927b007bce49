import { describe, expect, it } from 'vitest';
import { readVisitor } from '../../src/core/visitor.ts';

const read = (userAgent: string, platformVersion?: string) => readVisitor({ userAgent, platformVersion });
const webKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const iphone = (system: string, rest: string) =>
  `Mozilla/5.0 (iPhone; CPU iPhone OS ${system} like Mac OS X) ${webKit} ${rest}`;
const android = (system: string, rest = 'Chrome/140.0.0.0 Mobile Safari/537.36') =>
  `Mozilla/5.0 (Linux; Android ${system}) AppleWebKit/537.36 (KHTML, like Gecko) ${rest}`;

describe('iPhones and iPads', () => {
  it.each([
    ['Safari 17', iphone('17_5', 'Version/17.5 Mobile/15E148 Safari/604.1'), 'safari', '17.5'],
    [
      'Safari 16 with a patch',
      iphone('16_7_8', 'Version/16.6 Mobile/15E148 Safari/604.1'),
      'safari',
      '16.7.8',
    ],
    ['Safari 18.6', iphone('18_6', 'Version/18.6 Mobile/15E148 Safari/604.1'), 'safari', '18.6'],
    ['Safari 26, frozen', iphone('18_6', 'Version/26.0 Mobile/15E148 Safari/604.1'), 'safari', '26.0'],
    [
      'Safari 26.3 with a different frozen version',
      iphone('18_7', 'Version/26.3.1 Mobile/15E148 Safari/604.1'),
      'safari',
      '26.3.1',
    ],
    ['Chrome', iphone('17_5', 'CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1'), 'other', '17.5'],
    ['Chrome on iOS 26', iphone('26_1', 'CriOS/142.0.7444.46 Mobile/15E148 Safari/604.1'), 'other', '26.1'],
    [
      'Firefox, which always reports 18.7',
      iphone('18_7', 'FxiOS/146.0 Mobile/15E148 Safari/604.1'),
      'other',
      null,
    ],
    ['Edge', iphone('16_6', 'Version/16.0 EdgiOS/126.0 Mobile/15E148 Safari/604.1'), 'other', '16.6'],
    [
      'a version that does not exist',
      iphone('19_0', 'CriOS/139.0 Mobile/15E148 Safari/604.1'),
      'other',
      null,
    ],
    ['no version', 'Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 Version/17.0 Safari/604.1', 'safari', null],
  ])('are recognized: %s', (_, userAgent, browser, osVersion) => {
    expect(read(userAgent)).toMatchObject({
      system: 'ios',
      browser,
      osVersion,
      model: 'iphone',
      inAppName: null,
    });
  });

  it('distinguish old iPads from new ones, which identify as a Macintosh', () => {
    const old =
      'Mozilla/5.0 (iPad; CPU OS 12_5_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1.2 Mobile/15E148 Safari/604.1';
    expect(read(old)).toMatchObject({ system: 'ios', model: 'ipad', osVersion: '12.5.7' });
    const macintosh = `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Version/17.5 Safari/605.1.15`;
    expect(read(macintosh)).toEqual({
      system: 'desktop',
      browser: 'safari',
      osVersion: null,
      inAppName: null,
      model: null,
    });
  });

  it.each([
    ['Facebook', iphone('17_5', 'Mobile/15E148 [FBAN/FBIOS;FBAV/157.0.0.42.96;FBDV/iPhone9,1]')],
    ['Messenger', iphone('17_5', 'Mobile/15E148 [FBAN/MessengerForiOS;FBAV/48.0.0.20.47]')],
    ['Instagram', iphone('17_5', 'Mobile/15E148 Instagram 331.0.0.14.97 (iPhone14,5; iOS 17_5; en_US)')],
    ['LINE', iphone('17_5', 'Mobile/15E148 Safari Line/14.9.0')],
    ['WeChat', iphone('17_5', 'Mobile/15E148 MicroMessenger/8.0.49(0x18003137) NetType/WIFI Language/en')],
    ['Slack', iphone('17_5', 'Mobile/15E148 Slack/24.05.10')],
    ['Teams', iphone('17_5', 'Mobile/15E148 TeamsMobile-iOS/6.9.0')],
    ['Google', iphone('17_5', 'GSA/319.0.637 Mobile/15E148 Safari/604.1')],
    ['Telegram', iphone('17_5', 'Mobile/15E148 Telegram-iOS/11.2')],
    [null, iphone('17_5', 'Mobile/15E148')],
  ])('are recognized inside %s', (inAppName, userAgent) => {
    expect(read(userAgent)).toMatchObject({ system: 'ios', browser: 'in-app', inAppName, osVersion: '17.5' });
  });
});

describe('Android phones', () => {
  it.each([
    ['the fixed version of Chrome', android('10; K'), undefined, null],
    ['the client hint', android('10; K'), '"14.0.0"', '14'],
    ['a hint of 10 itself', android('10; K'), '"10.0.0"', '10'],
    ['a hint with a minor version', android('10; K'), '"8.1.0"', '8.1'],
    ['an empty hint', android('10; K'), '""', null],
    ['an invalid hint', android('10; K'), '"<script>"', null],
    ['an old Chrome', android('7.1.1; Moto G (5)'), undefined, '7.1.1'],
    ['Firefox', 'Mozilla/5.0 (Android 15; Mobile; rv:138.0) Gecko/138.0 Firefox/138.0', undefined, '15'],
    ['a Cubot phone', android('12; CUBOT_X50'), undefined, '12'],
    ['another Cubot phone', android('9; CUBOT NOTE 20'), undefined, '9'],
  ])('are recognized with %s', (_, userAgent, hint, osVersion) => {
    expect(read(userAgent, hint)).toEqual({
      system: 'android',
      browser: 'other',
      osVersion,
      inAppName: null,
      model: null,
    });
  });

  it.each([
    [
      'Facebook',
      android('15; wv', 'Version/4.0 Chrome/140.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/480.0;]'),
    ],
    [
      'Instagram',
      android('15; wv', 'Version/4.0 Chrome/140.0 Mobile Safari/537.36 Instagram 331.0.0 Android'),
    ],
    ['LINE', android('15; wv', 'Version/4.0 Chrome/140.0 Mobile Safari/537.36 Line/14.9.0/IAB')],
    [
      'Telegram',
      android('10; K', 'Chrome/140.0 Mobile Safari/537.36 Telegram-Android/11.3.3 (Pixel; SDK 34)'),
    ],
    [null, android('15; Pixel 8 Build/AP3A; wv', 'Version/4.0 Chrome/140.0 Mobile Safari/537.36')],
  ])('are recognized inside %s', (inAppName, userAgent) => {
    expect(read(userAgent)).toMatchObject({ system: 'android', browser: 'in-app', inAppName });
  });
});

describe('any other client', () => {
  it.each([
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Chrome/140.0.0.0 Safari/537.36`,
    'Mozilla/5.0 (X11; Linux x86_64; rv:138.0) Gecko/20100101 Firefox/138.0',
    'Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; Microsoft; Lumia 950) Edge/15.15254',
    'something new',
  ])('is a computer: %s', (userAgent) => {
    expect(read(userAgent)).toMatchObject({ system: 'desktop', browser: 'other', osVersion: null });
  });

  it.each([
    '',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
    'WhatsApp/2.23.20.0 A',
    'TelegramBot (like TwitterBot)',
    'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X) (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    `Mozilla/5.0 (Macintosh) ${webKit} Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0`,
    'curl/8.14.1',
  ])('is a bot if it draws previews or fetches: %s', (userAgent) => {
    expect(read(userAgent).system).toBe('bot');
  });

  it('is not a browser without a user agent', () => {
    expect(readVisitor({ userAgent: undefined }).system).toBe('bot');
  });

  it('is parsed in bounded time', () => {
    const longest = [
      'Version/1.'.repeat(5000),
      `${'Android '.repeat(8000)}`,
      'bot'.repeat(20_000),
      '('.repeat(60_000),
    ];
    const started = performance.now();
    for (const userAgent of longest) read(userAgent, '1.'.repeat(10_000));
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

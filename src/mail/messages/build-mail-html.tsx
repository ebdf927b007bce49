/**
 * The HTML part of a build email. Uses tables and inline styles for email clients, with a dark theme for those that
 * support it. Loads no external resources.
 */
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { currentLocale } from '../../core/language/current-language.ts';
import { renderMarkdown } from '../../web/components/markdown.ts';
import { texts } from '../../web/shell/texts.ts';
import { mailTexts } from '../mail-texts.ts';
import type { MailLinks } from '../pages/mail-paths.ts';
import type { BuildMail } from './build-mail.ts';
import {
  appName,
  appVersion,
  buildMailSubject,
  installAddress,
  mailFacts,
  mailReason,
  shownNote,
} from './build-mail-text.ts';
import { type MailColors, mailColors, mailSender, mailSupport } from './mail-brand.ts';

const t = mailTexts.message;
/** Markup can make a note many times longer; it is then shown as plain text. */
const maxNoteHtmlBytes = 16 * 1024;

const font =
  "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Helvetica,Arial,sans-serif";
const ink = 'color:#10191c';
const soft = 'color:#4b5a60';

/** Classes override the inline styles in the dark theme. */
const styles = ({ light, dark }: Record<'light' | 'dark', MailColors>) => `
:root{color-scheme:light dark;supported-color-schemes:light dark}
body{margin:0;padding:0;width:100%;-webkit-text-size-adjust:100%}
.note h3,.note h4,.note h5,.note h6{margin:16px 0 4px;font-size:16px;line-height:1.4}
.note p,.note ul,.note ol,.note pre,.note blockquote,.note table{margin:0 0 12px}
.note ul,.note ol{padding-left:22px}
.note pre{white-space:pre-wrap}
.note>:last-child{margin-bottom:0}
.note a{color:${light.accent}}
@media (max-width:480px){.edge{padding-left:20px!important;padding-right:20px!important}}
@media (prefers-color-scheme:dark){
.ground{background:#0e1416!important}
.card{background:#162024!important;border-color:#253237!important}
.ink,.note{color:#e6edee!important}
.soft{color:#a3b2b7!important}
.line{border-color:#253237!important}
.accent,.note a{color:${dark.accent}!important}
.button{background:${dark.accent}!important}
.button a{color:${dark.onAccent}!important;border-color:${dark.accent}!important}
}`;

/** At most 30 KiB. `icon`: URL of the icon, `cid:…` or `data:…`, or null. */
export function renderBuildMailHtml(buildMail: BuildMail, links: MailLinks, icon: string | null): string {
  const content = <Document buildMail={buildMail} links={links} icon={icon} />;
  return `<!doctype html>${renderToString(content)}`;
}

interface DocumentProps {
  buildMail: BuildMail;
  links: MailLinks;
  icon: string | null;
}

function Document({ buildMail, links, icon }: DocumentProps) {
  const note = shownNote(buildMail);
  const colors = mailColors(buildMail.brand);
  return (
    <html lang={currentLocale()}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <meta name="robots" content="noindex, nofollow" />
        <title>{buildMailSubject(buildMail)}</title>
        <style dangerouslySetInnerHTML={{ __html: styles(colors) }} />
      </head>
      <body class="ground" style="margin:0;padding:0;background:#f4f7f7">
        <Table class="ground" style="background:#f4f7f7" width="100%">
          <tr>
            <td align="center" style="padding:32px 12px">
              <Table
                class="card"
                style="max-width:560px;background:#ffffff;border:1px solid #dfe6e7;border-radius:16px"
                width="100%"
              >
                <Row>
                  <Head buildMail={buildMail} icon={icon} />
                </Row>
                <Row>
                  <Button address={installAddress(buildMail, links.origin)} colors={colors.light} />
                </Row>
                {note !== '' && (
                  <Row>
                    <Note text={note} />
                  </Row>
                )}
                <Row last>
                  <Facts buildMail={buildMail} />
                </Row>
              </Table>
              <Footer buildMail={buildMail} links={links} />
            </td>
          </tr>
        </Table>
      </body>
    </html>
  );
}

function Table(props: { class?: string; style: string; width?: string; children: ComponentChildren }) {
  return (
    <table
      role="presentation"
      class={props.class}
      style={`border-collapse:separate;${props.style}`}
      width={props.width}
      cellPadding="0"
      cellSpacing="0"
    >
      <tbody>{props.children}</tbody>
    </table>
  );
}

function Row({ last = false, children }: { last?: boolean; children: ComponentChildren }) {
  return (
    <tr>
      <td class="edge" style={`padding:28px 32px ${last ? '32px' : '0'}`}>
        {children}
      </td>
    </tr>
  );
}

function Head({ buildMail, icon }: { buildMail: BuildMail; icon: string | null }) {
  return (
    <Table style="width:100%" width="100%">
      <tr>
        {icon && (
          <td width="64" valign="top" style="padding-right:16px">
            <img src={icon} alt="" width={64} height={64} style="display:block;border:0;border-radius:15px" />
          </td>
        )}
        <td valign="middle">
          <p class="soft" style={`margin:0;${font};font-size:14px;line-height:1.4;${soft}`}>
            {t.lead({ platform: texts.platforms[buildMail.app.platform] })}
          </p>
          <h1
            class="ink"
            style={`margin:2px 0 0;${font};font-size:22px;line-height:1.25;font-weight:650;word-break:break-word;${ink}`}
          >
            <bdi>{appName(buildMail)}</bdi>
          </h1>
          <p
            class="ink"
            style={`margin:2px 0 0;${font};font-size:16px;line-height:1.4;word-break:break-word;${ink}`}
          >
            <bdi>{appVersion(buildMail)}</bdi>
          </p>
        </td>
      </tr>
    </Table>
  );
}

const noteStyle = `${font};font-size:16px;line-height:1.5;word-break:break-word;${ink}`;

function Note({ text }: { text: string }) {
  const formatted = renderMarkdown(text);
  return (
    <>
      <NoteTitle />
      {Buffer.byteLength(formatted) <= maxNoteHtmlBytes ? (
        <div class="note" style={noteStyle} dangerouslySetInnerHTML={{ __html: formatted }} />
      ) : (
        <div class="note" style={`${noteStyle};white-space:pre-wrap`} dir="auto">
          {text}
        </div>
      )}
    </>
  );
}

function NoteTitle() {
  return (
    <h2 class="soft" style={`margin:0 0 6px;${font};font-size:14px;line-height:1.4;font-weight:600;${soft}`}>
      {t.whatsNew}
    </h2>
  );
}

function Facts({ buildMail }: { buildMail: BuildMail }) {
  const line = 'padding:7px 0;border-top:1px solid #dfe6e7;font-size:14px;line-height:1.4';
  return (
    <Table style="width:100%" width="100%">
      {mailFacts(buildMail).map(({ label, value }) => (
        <tr key={label}>
          <td class="soft line" width="112" valign="top" style={`${line};${font};${soft};padding-right:16px`}>
            {label}
          </td>
          <td class="ink line" valign="top" style={`${line};${font};${ink};word-break:break-word`}>
            <bdi>{value}</bdi>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Button({ address, colors }: { address: string; colors: MailColors }) {
  const { accent, onAccent } = colors;
  const shape = `display:block;padding:14px 24px;border:1px solid ${accent};border-radius:10px;text-decoration:none`;
  return (
    <Table style="width:100%" width="100%">
      <tr>
        <td class="button button-primary" align="center" style={`background:${accent};border-radius:10px`}>
          <a
            href={address}
            style={`${shape};${font};font-size:17px;line-height:1.3;font-weight:600;color:${onAccent}`}
          >
            {t.install}
          </a>
        </td>
      </tr>
    </Table>
  );
}

function Footer({ buildMail, links }: { buildMail: BuildMail; links: MailLinks }) {
  const line = `${font};font-size:13px;line-height:1.5`;
  const link = `${line};color:${mailColors(buildMail.brand).light.accent};text-decoration:underline`;
  const support = mailSupport(buildMail.brand);
  return (
    <Table style="max-width:560px" width="100%">
      <tr>
        <td class="edge" style="padding:20px 32px 0">
          <p class="soft" style={`margin:0;${line};${soft};word-break:break-word`}>
            {mailReason(buildMail)}
          </p>
          <p class="soft" style={`margin:8px 0 0;${line};${soft}`}>
            <a class="accent" href={links.unsubscribe} style={link}>
              {t.unsubscribe}
            </a>
            {' · '}
            <a class="accent" href={links.settings} style={link}>
              {t.settings}
            </a>
          </p>
          <p class="soft" style={`margin:8px 0 0;${line};${soft};word-break:break-word`}>
            <bdi>{mailSender(buildMail.brand)}</bdi>
            {support && (
              <>
                {' · '}
                {texts.support({
                  address: support.label,
                  link: (children) => (
                    <a class="accent" href={support.address} style={link}>
                      <bdi>{children}</bdi>
                    </a>
                  ),
                })}
              </>
            )}
          </p>
        </td>
      </tr>
    </Table>
  );
}

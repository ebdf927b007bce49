/** The symbol files of a build, with their downloads and a form. */
import type { Build } from '../../apps/app.ts';
import type { AppHead } from '../../apps/app-head.tsx';
import { buildSymbolsPath } from '../../apps/app-paths.ts';
import { renderBuildTab } from '../../apps/insight/build-tabs.tsx';
import { formatBytes } from '../../core/byte-size.ts';
import { Badge, type Tone } from '../../web/components/callout.tsx';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { Confirm, PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { FileField } from '../../web/components/inputs/file-field.tsx';
import { timeOf } from '../../web/components/message-tags.tsx';
import { ColumnHeaders } from '../../web/components/result-list.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import {
  type BuildSymbols,
  maxSymbolFileBytes,
  type SymbolFileWithMatch,
  symbolField,
} from './symbol-files.ts';
import { bundleMappingId, bundleMappingName, symbolFilePath } from './symbol-json.ts';
import { symbolTexts } from './symbol-texts.ts';

export interface SymbolsPageProps {
  frame: PageFrame;
  head: AppHead;
  build: Build;
  /** Null unless the viewer manages the app. */
  symbols: BuildSymbols | null;
  maxUploadBytes: number;
  done: string | null;
  /** Why a file was not stored, as a full sentence. */
  error?: string | null;
}

const t = symbolTexts;

export function renderSymbolsPage(props: SymbolsPageProps): string {
  const { frame, head, build, symbols } = props;
  return renderBuildTab({
    frame,
    head,
    build,
    tab: 'symbols',
    documentTitle: t.titleOf({ revision: build.revision }),
    line: t.line,
    done: props.done,
    forms: symbols !== null,
    children:
      symbols === null ? (
        <EmptyState title={t.hidden} />
      ) : (
        <>
          <div class="section">
            <Files {...props} symbols={symbols} />
          </div>
          <div class="section stack">
            <UploadForm {...props} />
          </div>
        </>
      ),
  });
}

function Files({ frame, head, build, symbols }: SymbolsPageProps & { symbols: BuildSymbols }) {
  const { files, bundleMapping } = symbols;
  const { app } = head;
  if (files.length === 0 && !bundleMapping) {
    return (
      <EmptyState title={t.none}>
        <p>{t.noneLine}</p>
      </EmptyState>
    );
  }
  return (
    <div class="panel">
      <table class="table cards">
        <ColumnHeaders columnHeadings={Object.values(t.columns)} />
        <tbody>
          {bundleMapping && (
            <tr>
              <td data-label={t.columns.file}>
                <a href={`${symbolFilePath(app, build, bundleMappingId)}/file`}>{bundleMappingName}</a>
                <p class="soft fine">{t.inBundle}</p>
              </td>
              <td data-label={t.columns.kind}>{t.kinds.mapping}</td>
              <td data-label={t.columns.match}>
                <Match matches />
              </td>
              <td data-label={t.columns.size}>{formatBytes(bundleMapping.bytes)}</td>
              <td data-label={t.columns.added}>
                {t.addedBy({ time: timeOf(build.createdAt, frame.now), user: build.uploadedBy })}
              </td>
              <td />
            </tr>
          )}
          {files.map((file) => (
            <tr key={file.id}>
              <td data-label={t.columns.file}>
                <a href={`${symbolFilePath(app, build, file.id)}/file`}>
                  <bdi>{file.fileName}</bdi>
                </a>
                <Binaries file={file} />
              </td>
              <td data-label={t.columns.kind}>{t.kinds[file.facts.kind]}</td>
              <td data-label={t.columns.match}>
                <Match matches={file.matches} />
              </td>
              <td data-label={t.columns.size}>{formatBytes(file.sizeBytes)}</td>
              <td data-label={t.columns.added}>
                {t.addedBy({ time: timeOf(file.createdAt, frame.now), user: file.uploadedBy })}
              </td>
              <td>
                <Confirm
                  frame={frame}
                  action={`${symbolFilePath(app, build, file.id)}/delete`}
                  ask={t.delete}
                  label={t.deleteOf({ file: file.fileName })}
                  line={t.deleteLine}
                  tone="quiet"
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const tones = { yes: 'good', no: 'warning', unknown: 'plain' } as const satisfies Record<string, Tone>;

function Match({ matches }: { matches: boolean | null }) {
  const word = matches === null ? 'unknown' : matches ? 'yes' : 'no';
  return (
    <span title={t.matchHelp[word]}>
      <Badge tone={tones[word]}>{t.matches[word]}</Badge>
    </span>
  );
}

function Binaries({ file: { binaries } }: { file: SymbolFileWithMatch }) {
  return (
    <details class="quiet-fold">
      <summary>{t.binaries({ count: binaries.length })}</summary>
      <ul class="machine-list">
        {binaries.map(({ name, architecture, id, matches }) => (
          <li key={`${name} ${architecture} ${id}`}>
            <bdi>{name}</bdi> {architecture} <code class="break">{id ?? t.noId}</code>{' '}
            <Match matches={matches} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function UploadForm({ frame, head, build, maxUploadBytes, error }: SymbolsPageProps) {
  return (
    <section aria-labelledby="upload">
      <h2 id="upload">{t.form.title}</h2>
      <PostForm
        frame={frame}
        class="form"
        action={`${buildSymbolsPath(head.app, build.revision)}/upload`}
        enctype="multipart/form-data"
      >
        <FileField
          id={symbolField}
          label={t.form.file}
          hint={t.form.hint({ limit: formatBytes(Math.min(maxSymbolFileBytes, maxUploadBytes)) })}
          errors={error ? [error] : []}
          accept=".zip,.txt,.map"
          required
        />
        <p class="actions">
          <SubmitButton label={t.form.button} />
        </p>
      </PostForm>
    </section>
  );
}

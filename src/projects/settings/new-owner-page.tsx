import type { ComponentChildren } from 'preact';
import { refusalOf } from '../../core/errors.ts';
import { maxDisplayNameLength } from '../../owners/create-owners.ts';
import {
  checkName,
  maxDescriptionLength,
  maxNameLength,
  namePattern,
  type Workspace,
} from '../../owners/owner.ts';
import { newProjectPath, newWorkspacePath } from '../../owners/owner-paths.ts';
import { Choice, ErrorSummary, Field, PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { joinSentences } from '../../web/components/formats.ts';
import { SelectField } from '../../web/components/inputs/select-field.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import { ConsoleHead } from '../../web/shell/console-head.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { projectTexts } from '../project-texts.ts';

const { fields } = projectTexts;

/** Errors by field, as full sentences. */
export type OwnerFormErrors = Partial<
  Record<'name' | 'description' | 'display_name' | 'workspace', readonly string[]>
>;

export interface NewProjectProps {
  frame: PageFrame;
  /** The Workspaces that the viewer owns. */
  workspaces: readonly Workspace[];
  submitted: { name: string; description: string; workspace: string };
  errors: OwnerFormErrors;
}

export function renderNewProject({ frame, workspaces, submitted, errors }: NewProjectProps): string {
  const t = projectTexts.newProject;
  return renderNew({
    frame,
    errors,
    title: t.title,
    line: t.line,
    address: newProjectPath,
    button: t.button,
    children: (
      <>
        <NameField kind="project" value={submitted.name} errors={errors.name} />
        <Field
          id="description"
          label={fields.description}
          hint={fields.descriptionHint}
          errors={errors.description}
          control={(attributes) => (
            <textarea {...attributes} name="description" rows={3} maxLength={maxDescriptionLength} dir="auto">
              {`\n${submitted.description}`}
            </textarea>
          )}
        />
        <WorkspaceField workspaces={workspaces} chosen={submitted.workspace} />
      </>
    ),
  });
}

interface WorkspaceFieldProps {
  workspaces: readonly Workspace[];
  chosen: string;
}

/** If there are more choices than this, they are in a select list. */
const maxChoices = 4;

function WorkspaceField(props: WorkspaceFieldProps) {
  if (props.workspaces.length === 0) return null;
  return props.workspaces.length > maxChoices ? (
    <WorkspaceSelect {...props} />
  ) : (
    <WorkspaceChoice {...props} />
  );
}

function WorkspaceSelect({ workspaces, chosen }: WorkspaceFieldProps) {
  const t = projectTexts.newProject;
  return (
    <SelectField
      id="workspace"
      label={t.workspace}
      hint={joinSentences([t.workspaceHint, t.insideLine])}
      value={chosen}
      options={[['', t.none], ...workspaces.map(({ name, displayName }) => [name, displayName] as const)]}
    />
  );
}

function WorkspaceChoice({ workspaces, chosen }: WorkspaceFieldProps) {
  const t = projectTexts.newProject;
  const common = { type: 'radio', name: 'workspace' } as const;
  return (
    <fieldset class="choices">
      <legend>{t.workspace}</legend>
      <p class="hint">{t.workspaceHint}</p>
      <Choice
        {...common}
        id="workspace-none"
        value=""
        checked={chosen === ''}
        label={t.none}
        hint={t.noneHint}
      />
      {workspaces.map((workspace) => (
        <Choice
          key={workspace.id}
          {...common}
          id={`workspace-${workspace.id}`}
          value={workspace.name}
          checked={chosen === workspace.name}
          label={workspace.displayName}
          hint={t.insideHint}
        />
      ))}
    </fieldset>
  );
}

export interface NewWorkspaceProps {
  frame: PageFrame;
  submitted: { name: string; display_name: string };
  errors: OwnerFormErrors;
}

export function renderNewWorkspace({ frame, submitted, errors }: NewWorkspaceProps): string {
  const t = projectTexts.newWorkspace;
  return renderNew({
    frame,
    errors,
    title: t.title,
    line: t.line,
    address: newWorkspacePath,
    button: t.button,
    children: (
      <>
        <NameField kind="workspace" value={submitted.name} errors={errors.name} />
        <DisplayNameField value={submitted.display_name} errors={errors.display_name} />
      </>
    ),
  });
}

/** The name that a Workspace has on its pages. */
export function DisplayNameField(props: { value: string; errors: readonly string[] | undefined }) {
  return (
    <TextField
      id="display_name"
      label={fields.displayName}
      hint={fields.displayNameHint}
      value={props.value}
      errors={props.errors}
      maxLength={maxDisplayNameLength}
      prose
    />
  );
}

function NameField(props: {
  kind: 'project' | 'workspace';
  value: string;
  errors: readonly string[] | undefined;
}) {
  const { kind, value, errors } = props;
  const refusal = refusalOf((name) => checkName(kind, name), '');
  return (
    <TextField
      id="name"
      label={fields.name}
      hint={fields.nameHint}
      value={value}
      errors={errors}
      maxLength={maxNameLength}
      pattern={namePattern}
      missing={refusal}
      mismatch={refusal}
      required
    />
  );
}

interface NewOwner {
  frame: PageFrame;
  title: string;
  line: string;
  address: string;
  button: string;
  errors: OwnerFormErrors;
  children: ComponentChildren;
}

const labels = (): Record<keyof OwnerFormErrors, string> => ({
  name: fields.name,
  description: fields.description,
  display_name: fields.displayName,
  workspace: projectTexts.newProject.workspace,
});

function renderNew(page: NewOwner): string {
  const wrong = (Object.keys(page.errors) as (keyof OwnerFormErrors)[]).map((id) => ({
    id,
    label: labels()[id],
  }));
  return renderPage({
    frame: page.frame,
    title: page.title,
    forms: true,
    width: 'narrow',
    head: <ConsoleHead title={page.title} details={<span>{page.line}</span>} />,
    children: (
      <>
        <ErrorSummary title={projectTexts.errorsTitle} line={projectTexts.errorsLine} errors={wrong} />
        <PostForm frame={page.frame} class="form" action={page.address}>
          {page.children}
          <p class="actions">
            <SubmitButton label={page.button} tone="primary" />
          </p>
        </PostForm>
      </>
    ),
  });
}

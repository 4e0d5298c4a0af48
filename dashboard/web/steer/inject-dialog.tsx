import { useId, useState } from 'react';
import type { Mutable, Steered } from '../../api/steer/steering.ts';
import type { Research } from '../../api/research.ts';
import { researchPath } from '../data/fetch-json.ts';
import { useResource } from '../data/use-resource.ts';
import { Field, SteerDialog } from './dialog.tsx';

interface Props {
  research: Research;
  onDone: (done: Steered) => void;
  onFailed: (error: string) => void;
  onClose: () => void;
}

/** Dialog that runs a person's version of a mutable file as the next trial. */
export function InjectDialog({ research: { status }, ...rest }: Props) {
  const id = status.workflowId;
  const { data, error } = useResource<Mutable>(researchPath(id, 'mutable'), { research: '' });
  // One key for the dialog: the idea stays one idea if the person sends it again after an error.
  const [key] = useState(newKey);
  const [path, setPath] = useState<string | null>(null);
  const [edited, setEdited] = useState<Record<string, string>>({});
  const chosen = useId();
  const files = data?.files ?? [];
  const shown = files.find((file) => file.path === path) ?? files[0];
  const text = shown === undefined ? '' : (edited[shown.path] ?? shown.text);
  const edit = (next: string): void => {
    if (shown) setEdited((before) => ({ ...before, [shown.path]: next }));
  };
  const read = (file: File | undefined): void => void file?.text().then(edit);
  const toBody = (fields: FormData): object => {
    const all = shown === undefined ? {} : { ...edited, [shown.path]: text };
    return { files: all, hypothesis: fields.get('hypothesis'), key };
  };
  return (
    <SteerDialog
      {...rest}
      title={`Inject an idea into ${id}`}
      effect="Your version of the file runs as the next trial, ahead of other proposals. It counts in the budget."
      submit="Inject"
      action="inject"
      id={id}
      toBody={toBody}
    >
      {data === undefined ? <p className="small">{error ? error.message : 'Reading the files'}</p> : null}
      <Field label="Mutable file">
        <select value={shown?.path ?? ''} onChange={(event) => setPath(event.target.value)}>
          {files.map((file) => (
            <option key={file.path}>{file.path}</option>
          ))}
        </select>
      </Field>
      <Field label="Its whole new text" hint="the claimed best has the one that you see first">
        <textarea
          className="mono"
          rows={10}
          spellCheck={false}
          value={text}
          onChange={(event) => edit(event.target.value)}
        />
      </Field>
      <label className="steer-field small" htmlFor={chosen}>
        <span>Or the content of a file of this machine</span>
        <input id={chosen} type="file" onChange={(event) => read(event.target.files?.[0])} />
      </label>
      <Field label="Why it should be better">
        <input name="hypothesis" required maxLength={2000} />
      </Field>
    </SteerDialog>
  );
}

/** A random key; `randomUUID` does not exist on pages from plain HTTP. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `page-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

import type { LlmRequest } from '../../llm.ts';
import { type Form, PLAIN_FORM } from './form.ts';

interface Remembered {
  form: Form;
  /** The changes in words. */
  changes: readonly string[];
  /** The error that caused the last change. */
  why: string;
}

/** Forms and lengths of requests that an endpoint accepts, by the name of the model. */
export interface Forms {
  formOf(model: string): Form;
  remember(model: string, accepted: Remembered): void;
  /** Halves the length of later prompts for a model. */
  shorten(model: string, refused: { request: LlmRequest; why: string }): void;
  promptLimit(model: string): number | null;
  /** Remembers that the endpoint takes no tools for a model. */
  refuseTools(model: string): void;
  refusesTools(model: string): boolean;
}

/**
 * Remembers forms in memory: after a restart each change costs one request again. `log` receives one line for each
 * change.
 */
export function createForms({ shown, log }: { shown: string; log: (message: string) => void }): Forms {
  const forms = new Map<string, Form>();
  const limits = new Map<string, number>();
  const withoutTools = new Set<string>();
  const report = (model: string, change: string, why: string): void =>
    log(`each request for the model ${JSON.stringify(model)} to ${shown} ${change} from now on: ${why}`);
  return {
    formOf: (model) => forms.get(model) ?? PLAIN_FORM,
    remember: (model, { form, changes, why }) => {
      // A request at the same time may have found the same.
      if (JSON.stringify(forms.get(model)) === JSON.stringify(form)) return;
      forms.set(model, form);
      report(model, changes.join(', '), why);
    },
    shorten: (model, { request, why }) => {
      const length = request.messages.reduce((sum, { content }) => sum + content.length, 0);
      const limit = Math.floor(length / 2);
      if (limit >= (limits.get(model) ?? Infinity)) return;
      limits.set(model, limit);
      report(model, `has a prompt of at most ${limit} characters`, why);
    },
    promptLimit: (model) => limits.get(model) ?? null,
    refuseTools: (model) => void withoutTools.add(model),
    refusesTools: (model) => withoutTools.has(model),
  };
}

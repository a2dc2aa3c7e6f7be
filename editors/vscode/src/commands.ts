/** The commands of the palette, the menu and the walkthrough. */
import * as vscode from 'vscode';
import type { ChatView } from './chat/chatView.ts';
import type { Program } from './program.ts';
import type { Server } from './server.ts';
import { toggled } from './settings.ts';
import type { StatusBar } from './statusBar.ts';

/** The server's own command. */
const SNOOZE = 'codeassistd.snooze';
const SNOOZES = [5, 15, 30, 60, 240];
const INSTALL = 'pipx install dist/codeassistd-*.whl';

/** What the commands work on. */
export interface Parts {
  readonly server: Server;
  readonly program: Program;
  readonly statusBar: StatusBar;
  readonly chat: ChatView;
}

export function registerCommands(parts: Parts): vscode.Disposable {
  const commands: Record<string, () => unknown> = {
    'codeassistd.menu': () => showMenu(parts),
    'codeassistd.toggle': toggle,
    'codeassistd.toggleLanguage': toggleLanguage,
    'codeassistd.trigger': () => vscode.commands.executeCommand('editor.action.inlineSuggest.trigger'),
    'codeassistd.snoozeFor': () => snooze(parts.server),
    'codeassistd.openChat': () => parts.chat.focus(),
    'codeassistd.chatBegin': () => parts.chat.begin(),
    'codeassistd.chatChoose': () => parts.chat.choose(),
    'codeassistd.chatRemove': () => parts.chat.remove(),
    'codeassistd.chatCancel': () => parts.chat.cancel(),
    'codeassistd.explainLast': () => parts.program.show('codeassistd: the last request', ['explain', 'show']),
    'codeassistd.showStatus': () => parts.program.show('codeassistd: status', ['status']),
    'codeassistd.restart': () => parts.server.restart(),
    'codeassistd.openLog': () => parts.program.show('codeassistd: log', ['logs', '-n', '500']),
    'codeassistd.doctor': () => parts.program.show('codeassistd: doctor', ['doctor']),
    'codeassistd.clearCaches': () => clearCaches(parts.program),
    'codeassistd.openWalkthrough': () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', 'codeassistd.codeassistd#start', false),
    'codeassistd.pullStarter': () => parts.program.inTerminal(['model', 'pull', 'starter']),
    'codeassistd.install': install,
    'codeassistd.choosePath': () =>
      vscode.commands.executeCommand('workbench.action.openSettings', 'codeassistd.server.path'),
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run)),
  );
}

interface MenuItem extends vscode.QuickPickItem {
  readonly command: string;
}

async function showMenu({ statusBar }: Parts): Promise<void> {
  const health = statusBar.health();
  const language = vscode.window.activeTextEditor?.document.languageId;
  const items: MenuItem[] = [
    { label: '$(bell-slash) Turn suggestions on or off', command: 'codeassistd.toggle' },
    ...(language === undefined
      ? []
      : [{ label: `$(code) Turn suggestions on or off for ${language}`, command: 'codeassistd.toggleLanguage' }]),
    { label: '$(clock) Snooze', command: 'codeassistd.snoozeFor' },
    { label: '$(comment-discussion) Open chat', command: 'codeassistd.openChat' },
    { label: '$(question) Explain the last request', command: 'codeassistd.explainLast' },
    { label: '$(pulse) Show status', command: 'codeassistd.showStatus' },
    { label: '$(checklist) Run doctor', command: 'codeassistd.doctor' },
    { label: '$(output) Open log', command: 'codeassistd.openLog' },
    { label: '$(trash) Clear caches', command: 'codeassistd.clearCaches' },
    { label: '$(debug-restart) Restart', command: 'codeassistd.restart' },
    { label: '$(book) Open walkthrough', command: 'codeassistd.openWalkthrough' },
  ];
  const title = `codeassistd: ${health.state}${health.detail === '' ? '' : ` (${health.detail})`}`;
  const chosen = await vscode.window.showQuickPick(items, { title });
  if (chosen !== undefined) {
    await vscode.commands.executeCommand(chosen.command);
  }
}

async function toggle(): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('codeassistd');
  const enabled = configuration.get<boolean>('completion.enabled', true);
  await configuration.update('completion.enabled', !enabled, levelOf(configuration, 'completion.enabled'));
}

async function toggleLanguage(): Promise<void> {
  const language = vscode.window.activeTextEditor?.document.languageId;
  if (language === undefined) {
    void vscode.window.showInformationMessage('codeassistd: open a file first; its language is what is turned off.');
    return;
  }
  const configuration = vscode.workspace.getConfiguration('codeassistd');
  const name = 'completion.languages_off';
  await configuration.update(name, toggled(configuration.get<string[]>(name, []), language), levelOf(configuration, name));
}

/** Where a setting is changed so that the change takes effect: where it is set now, else for the user. */
function levelOf(configuration: vscode.WorkspaceConfiguration, name: string): vscode.ConfigurationTarget {
  const found = configuration.inspect(name);
  return found?.workspaceValue === undefined ? vscode.ConfigurationTarget.Global : vscode.ConfigurationTarget.Workspace;
}

async function snooze(server: Server): Promise<void> {
  const items = [
    ...SNOOZES.map((minutes) => ({ label: minutes < 60 ? `${minutes} minutes` : `${minutes / 60} h`, minutes })),
    { label: 'End the snooze', minutes: 0 },
  ];
  const chosen = await vscode.window.showQuickPick(items, { title: 'No suggestions by themselves for' });
  if (chosen === undefined) {
    return;
  }
  try {
    await server.execute(SNOOZE, [chosen.minutes]);
  } catch (error) {
    void vscode.window.showWarningMessage(`codeassistd: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function clearCaches(program: Program): Promise<void> {
  void vscode.window.showInformationMessage(`codeassistd: ${await program.run(['cache', 'clear'])}`);
}

function install(): void {
  const terminal = vscode.window.createTerminal('codeassistd');
  terminal.show();
  // Typed, not run: the user may prefer uv, or an environment of their own.
  terminal.sendText(INSTALL, false);
}

/** The item in the status bar: how things stand, and the menu behind a click. */
import * as vscode from 'vscode';
import { faceOf, healthOf, type Health } from './health.ts';
import type { Server } from './server.ts';

const BACKGROUNDS = {
  plain: undefined,
  warning: new vscode.ThemeColor('statusBarItem.warningBackground'),
  error: new vscode.ThemeColor('statusBarItem.errorBackground'),
};

export class StatusBar implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;

  constructor(private readonly server: () => Server) {
    this.item = vscode.window.createStatusBarItem('codeassistd.status', vscode.StatusBarAlignment.Right, 100);
    this.item.name = 'codeassistd';
    this.item.command = 'codeassistd.menu';
    this.item.show();
  }

  /** How things stand for the editor in front. */
  health(): Health {
    const server = this.server();
    const configuration = vscode.workspace.getConfiguration('codeassistd');
    const language = vscode.window.activeTextEditor?.document.languageId ?? '';
    return healthOf({
      missing: server.missing,
      told: server.told,
      isOff: !configuration.get<boolean>('completion.enabled', true),
      language,
      isLanguageOff: configuration.get<string[]>('completion.languages_off', []).includes(language),
      isWorking: server.nWorking > 0,
      silence: server.silence,
    });
  }

  refresh(): void {
    const face = faceOf(this.health());
    this.item.text = face.text;
    this.item.tooltip = face.tooltip;
    this.item.backgroundColor = BACKGROUNDS[face.tone];
    this.item.accessibilityInformation = { label: `codeassistd: ${face.tooltip}`, role: 'button' };
  }

  dispose(): void {
    this.item.dispose();
  }
}

/** The page of the chat view: what may run on it, and what stands on it before it is told anything. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** Nothing but our own style sheet and our own script: no inline code, no address, no image. */
export function pageOf(webview: vscode.Webview, extension: vscode.Uri): string {
  const nonce = randomBytes(16).toString('base64');
  const script = webview.asWebviewUri(vscode.Uri.joinPath(extension, 'dist', 'chat.js')).toString();
  const style = webview.asWebviewUri(vscode.Uri.joinPath(extension, 'media', 'chat.css')).toString();
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}';">
<link rel="stylesheet" href="${style}">
<title>Chat</title>
</head>
<body>
<main id="turns" role="log" aria-live="polite" aria-label="Conversation" tabindex="0"></main>
<form id="ask">
<textarea id="question" rows="3" placeholder="Ask about the code" aria-label="Question" aria-describedby="about"></textarea>
<div class="foot">
<span id="about"></span>
<button type="submit" id="send">Ask</button>
<button type="button" id="stop" hidden>Stop</button>
</div>
</form>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}

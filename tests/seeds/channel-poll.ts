import * as slack from './servers/slack';

let through = false;
while (!through) {
  const messages = await slack.getChannelHistory({ channel: 'C042' });
  through = messages.some(m => m.text.includes('rollout finished'));
  if (!through) await new Promise(resolve => setTimeout(resolve, 20));
}
console.log('The rollout is through');

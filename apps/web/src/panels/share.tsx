// In and out: links, scenes, tables, pictures, films.
import { useRef, useState } from 'preact/hooks';
import { openFile } from '../files/drops';
import * as exports from '../files/exports';
import { remarksOn, shareLink } from '../files/share';
import * as store from '../store';
import { t } from '../texts';
import { Button } from './controls';

export function SharePanel() {
  const chooser = useRef<HTMLInputElement>(null);
  const [link, setLink] = useState('');
  const share = async () => {
    const made = await shareLink();
    setLink(made);
    history.replaceState(null, '', made.slice(made.indexOf('#')));
    await exports.copyText(made);
  };
  return (
    <div class="panel">
      <p class="lead">{t('share.lead')}</p>
      <div class="buttons">
        <Button name="share" class="button strong" onClick={share}>{t('share.link')}</Button>
      </div>
      {link && <input class="wide" type="text" readOnly data-shows="link" aria-label={t('share.link')} value={link} onFocus={(event) => event.currentTarget.select()} />}
      {link && remarksOn(link).map((remark) => <p key={remark} class="remark" data-shows="link-remark">{remark}</p>)}
      <h3>{t('share.scene')}</h3>
      <div class="buttons">
        <Button name="copy-toml" onClick={exports.copyToml}>{t('share.toml')}</Button>
        <Button name="copy-command" onClick={exports.copyCommand}>{t('share.command')}</Button>
        <Button name="save-scene" onClick={exports.saveScene}>{t('share.save')}</Button>
        <Button name="save-here" onClick={exports.saveAsSeen}>{t('share.save.here')}</Button>
        <Button name="open-file" onClick={() => chooser.current?.click()}>{t('share.open')}</Button>
        <input ref={chooser} type="file" class="hidden" tabIndex={-1} aria-hidden="true" data-control="file" accept=".toml,.json,.csv,.h5,.hdf5,.npz" onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) void openFile(file);
          event.currentTarget.value = '';
        }} />
      </div>
      <p class="remark">{t('share.drop')}</p>
      <h3>{t('share.export')}</h3>
      <div class="buttons">
        <Button name="save-csv" onClick={exports.saveCsv}>{t('share.csv')}</Button>
        <Button name="save-run" onClick={exports.saveRun}>{t('share.run')}</Button>
        <Button name="save-png" onClick={exports.savePicture}>{t('share.png')}</Button>
        <Button name="film" pressed={store.recording.value} onClick={exports.toggleFilm}>{t(store.recording.value ? 'share.film.stop' : 'share.film')}</Button>
      </div>
    </div>
  );
}

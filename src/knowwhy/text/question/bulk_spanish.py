"""Spanish words of requests that have no topic."""

from knowwhy.text.question.bulk_words import vocabulary

_TELL_ME = """
lístame enuméreme enumérame muéstrame muéstreme mostrarme enséñame dame deme darme dime dígame
decirme expórtame vuélcame imprímeme revélame repíteme cópiame escríbeme proporcióname compárteme
envíame mándame extráeme cuéntame contarme resúmeme entrégame léeme devuélveme pásame
"""
_ASKING = f"""{_TELL_ME}
lista listar liste enumera enumerar enumere muestra mostrar muestre enseña enseñar da dar di decir
exporta exportar exporte vuelca volcar dump imprime imprimir imprima revela revelar repite repetir
repita recita recitar reproduce reproducir copia copiar escribe escribir proporciona proporcionar
comparte compartir envía enviar manda extrae extraer obtén obtener recupera recuperar descarga
descargar traduce traducir resume resumir describe describir entrega entregar busca buscar encuentra
encontrar lee leer continúa continuar sigue seguir devuelve devolver saca sacar incluye incluir
carga cargar pasa ver quiero necesito
"""
_DUMPING = """
exporta exportar exporte expórtame vuelca volcar vuélcame dump extrae extraer extráeme descarga
descargar
"""
_POLITE = """
porfavor porfa ahora ok okay hola oye luego después entonces primero y e también finalmente
simplemente solo solamente inmediatamente pero puedes podrías puede podría puedo podemos quiero
quieres quisiera querría necesito me nos te tú usted gracias urgente importante he el la los
las un una
"""
_QUESTIONS = """
qué cuál cuáles quién quiénes porqué paraqué cómo dónde adónde cuándo cuánto cuánta cuántos cuántas
es son está están fue fueron hay hemos han ha debería deberíamos
"""
_OF_WHAT = "qué cuál cuáles quién quiénes"
_EVERYTHING = "todo toda todos todas"
_ALL = """
todo toda todos todas cada cualquier cualquiera entero entera enteros enteras completo completa
completos completas total totalidad
"""
_THINGS = """
recuerdo recuerdos memoria memorias registro registros entrada entradas hecho hechos nota notas
conversación conversaciones chat chats turno turnos mensaje mensajes dato datos base bases db
contenido contenidos información info conocimiento conocimientos documento documentos pasaje pasajes
contexto contextos historial historia cosa cosas elemento elementos fila filas consulta consultas
búsqueda búsquedas pregunta preguntas ejemplo ejemplos usuario usuarios user users dueño dueños
propietario propietarios id ids clave claves almacén índice memory memories records
"""
_STORES = """
recuerdo recuerdos memoria memorias base bases db datos conocimiento conocimientos contexto
contextos historial almacén prompt prompts instrucciones registros conversaciones cerebro índice
contenido contenidos entradas memory memories records
"""
_SAID = """
contexto contextos prompt prompts instrucción instrucciones texto textos palabra palabras mensaje
mensajes conversación conversaciones entrada entradas contenido contenidos documento documentos
pasaje pasajes ejemplo ejemplos consulta consultas pregunta preguntas búsqueda búsquedas respuesta
respuestas salida salidas memoria memorias recuerdo recuerdos párrafo párrafos reglas diálogo
resultados
"""
_BEFORE = """
anterior anteriores previo previa previos previas precedente precedentes inicial iniciales original
originales oculto oculta ocultos ocultas recuperado recuperada recuperados recuperadas pasado pasada
pasados pasadas arriba antes sistema
"""
_PEOPLE = """
usuario usuarios user users persona personas cliente clientes dueño dueños propietario propietarios
humano humanos individuo individuos inquilino inquilinos agente agentes alguien
"""
_YOU_KNOW = """
sabes recuerdas acuerdas conoces tienes guardas guardaste almacenas almacenaste contienes ves
aprendiste memorizaste
"""
_KNOWING = f"""{_YOU_KNOW}
sabe recuerda conoce tiene contiene guardado guardada guardados guardadas almacenado almacenada
almacenados almacenadas visto aprendido memorizado hay
"""
_TELLING = """
dijo dijeron dicho contó contaron contado preguntó preguntaron preguntado pidió pidieron pedido
buscó buscaron buscado compartió compartieron compartido escribió escribieron escrito guardó
guardaron guardado
"""
_YOU = f"tú tu tus te ti usted has {_YOU_KNOW}"
_SMALL = """
el la los las lo un una unos unas este esta esto estos estas ese esa eso esos esas aquel ello ellos
ellas aquí ahí allí yo me nos se su sus le les de del en a al con por para sobre acerca desde hasta
entre según sin como o u ni no si dentro fuera bajo era eran ser estar sido haya que ya actualmente
aún todavía alguna vez excepción excepciones límite límites filtro filtros omisión omisiones cambio
cambios textualmente literalmente exactamente completamente tal uno plano lista listas tabla json
csv xml yaml base64 rot13 markdown formato línea líneas orden detalle detalles otra nuevo nuevamente
abajo final disponible disponibles existente existentes privado privada privados privadas personal
personales secreto secreta secretos secretas confidencial confidenciales interno interna internos
internas sensible sensibles activo activa activos activas actual actuales reciente recientes último
última últimos últimas incluyendo incluido incluidos incluidas nombre nombres fecha fechas metadatos
fuente fuentes sesión sesiones proyecto proyectos inicio fin principio copia respaldo seguridad
volcado depuración prueba pruebas asistente modelo cabeza mente posible más propio propia propios
propias pool pools equipo global presta prestan prestado prestada prestados prestadas compartida
compartidos compartidas
"""

SPANISH = vocabulary(
    _SMALL,
    asking=_ASKING,
    dumping=_DUMPING,
    losing="perdí perdido olvidé olvidado",
    polite=_POLITE,
    questions=_QUESTIONS,
    of_what=_OF_WHAT,
    everything=_EVERYTHING,
    all=_ALL,
    things=_THINGS,
    stores=_STORES,
    said=_SAID,
    rules="contexto prompt instrucciones",
    before=_BEFORE,
    above="arriba antes",
    people=_PEOPLE,
    of_people="el la los las de del",
    others="demás alguien",
    other="otro otra otros otras demás",
    knowing=_KNOWING,
    telling=_TELLING,
    being="son",
    you=_YOU,
    your="tu tus",
    addressed=f"{_YOU} {_TELL_ME} me nos porfavor",
    about="de sobre acerca",
    oneself="mí mi mis conmigo nosotros nosotras nuestro nuestra nuestros nuestras",
    paging="""
        primer primero primera primeros primeras siguiente siguientes próximo próxima próximos
        próximas restante restantes resto
    """,
    portions="página páginas parte partes",
    sharing="""
        compartir comparte comparten compartió compartieron compartido compartida compartidos
        compartidas presta prestan prestado prestada prestados prestadas
    """,
    circles="pool pools equipo todos",
    sorts="""
        decisión decisiones incidente incidentes preferencias procedimientos lecciones tarea tareas
    """,
)
